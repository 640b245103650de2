"""Model families behind one interface each."""
