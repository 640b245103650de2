"""People who come and go: invitations, platform identities, ended sessions, erasure."""
