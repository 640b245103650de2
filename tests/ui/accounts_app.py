"""An app with accounts, and visitors of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from fastapi import FastAPI
from starlette.testclient import TestClient

from concord import people
from concord.common.base_path import stand
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.people import Invitation, Terms
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.people import invitations
from tests.ui import small_project
from tests.ui.http_visitor import TOKEN
from ui.web.auth.accounts import Accounts
from ui.web.server import create_app

PASSWORD = "correct horse"
# as cheap as argon2 lets it be
HASH = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
PEOPLE = {"anna": "annotator", "rosa": "researcher", "adam": "admin"}
PAGE = {"Accept": "text/html,*/*"}


def _as_browsers_do(request: Any) -> None:
    """Whatever a page sends says where it comes from; of a test that says so itself nothing is changed."""
    if request.method == "POST" and not {"origin", "sec-fetch-site"} & set(request.headers):
        request.headers["origin"] = f"http://{request.headers.get('x-forwarded-host', request.headers['host'])}"


def users_file(path: Path, people: dict[str, str] | None = None, password: str = HASH) -> Path:
    entries = (f'[[user]]\nname = "{n}"\nrole = "{r}"\npassword = "{password}"\n' for n, r in (people or PEOPLE).items())
    path.write_text("\n".join(entries))
    return path


@dataclass
class House:
    """An open app with accounts, over four images of two prompts; two of them make the campaign ``c``."""

    store: Store
    app: FastAPI
    users: Path

    def client(self, address: str = "10.0.0.7", host: str = "concord.example", **headers: str) -> TestClient:
        made = TestClient(
            self.app,
            f"http://{host}",
            client=(address, 1234),
            raise_server_exceptions=False,
            follow_redirects=False,
            headers=headers,
        )
        made.event_hooks["request"].append(_as_browsers_do)
        return made

    def account(self, name: str, **kind: Any) -> TestClient:
        """Somebody who has signed in."""
        client = self.client(**kind)
        answer = client.post("/login", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        return client

    def invitation(self, made_by: str = "x", **other: Any) -> Invitation:
        until = datetime.now(UTC) + timedelta(days=1)
        values: dict[str, Any] = {"campaign": "c", "role": "annotator", "expires": until}
        return invitations.create(self.store, Terms(**values | other), made_by)

    def link(self, invitation: Invitation | None = None) -> str:
        return people.link_path(self.store, invitation or self.invitation())

    def invited(self, name: str, invitation: Invitation | None = None) -> TestClient:
        """Somebody who came by a link."""
        client = self.client()
        answer = client.post(self.link(invitation), data={"name": name})
        assert answer.status_code == 303, answer.text
        return client

    def expire(self, invitation: Invitation) -> None:
        with self.store.read() as cursor:
            cursor.execute("update invitations set expires = '2020-01-01' where invitation_id = ?", [invitation.invitation_id])
        self.store.memory.forget(("invitation", invitation.invitation_id))

    def column(self, sql: str) -> list[Any]:
        with self.store.read() as cursor:
            return [row[0] for row in cursor.execute(sql).fetchall()]


@contextmanager
def house(folder: Path, root: str = "", *, pages: bool = False) -> Iterator[House]:
    """An app with accounts; with ``pages``, Gradio's are mounted beside the routes, which takes a second."""
    project = folder / "project"
    images = small_project.geneval_folder(folder / "sdv2")
    small_project.done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    scores = small_project.ratings_csv(folder / "r.csv", *(f"geneval/00000/sdv2/{n},secretscorer,5" for n in range(2)))
    small_project.done(project, "import", "ratings", scores, *small_project.RATINGS, "--suite", "geneval", "--kind", "scorer")
    with Store(project) as store:
        made = [CampaignItem(f"geneval/00000/sdv2/{n}") for n in range(2)]
        management.create(store, Campaign("c", "Cows", overlap=1000), made)
        management.move(store, "c", "running")
        with store.read() as cursor:
            # whoever asks is given something
            cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 1000, current_timestamp)")
        users = users_file(folder / "users.toml")
        try:
            yield House(store, create_app(store, TOKEN, Accounts(users), root, pages=pages), users)
        finally:
            # a process serves one app; other tests of this one have theirs at the root
            stand("")
