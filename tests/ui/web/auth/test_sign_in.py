"""Signing in and out, the file of accounts, and what ends a session."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import app as command_line
from data.store.core.store import Store
from tests.ui.accounts_app import HASH, PAGE, PASSWORD, House, house, users_file
from tests.ui.http_visitor import TOKEN
from tests.ui.small_project import concord
from ui.web.auth import routes
from ui.web.auth.accounts import Accounts, AccountsError, hash_password, password_fits, read
from ui.web.auth.rate_limit import FREE_BY_ADDRESS, FREE_BY_NAME, LONGEST_SECONDS, WINDOW_SECONDS, SignInLimiter
from ui.web.auth.routes import local
from ui.web.server import create_app


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house")) as made:
        yield made


def test_right_and_wrong(place: House) -> None:
    client = place.client()
    for name, password in (
        ("rosa", "wrong"),
        ("nobody", PASSWORD),
        ("", ""),
        ("rosa", ""),
        ("ROSA", PASSWORD),
        ("rosa", "\0" * 5),
    ):
        answer = client.post("/login", data={"name": name, "password": password})
        assert (answer.status_code, dict(client.cookies)) == (401, {})
        assert "Name or password is wrong." in answer.text
    answer = client.post("/login", data={"name": " rosa ", "password": PASSWORD})
    assert (answer.status_code, answer.headers["location"]) == (303, "/studio/")
    assert client.get("/api/next").json()["name"] == "rosa"
    assert client.post("/logout").status_code == 303
    assert client.get("/api/next").status_code == 401


def test_annotators_begin_with_the_form(place: House) -> None:
    client = place.account("anna")
    assert client.get("/").headers["location"] == "/annotate/"
    assert place.account("rosa").get("/").headers["location"] == "/studio/"
    assert place.client().get("/").headers["location"] == "/login"
    answer = client.get("/studio/", headers=PAGE)
    assert (answer.status_code, "for researchers" in answer.text) == (403, True)


def test_what_is_typed_comes_back_escaped(place: House) -> None:
    evil = '"><script>alert(1)</script>'
    answer = place.client().post("/login", data={"name": evil, "password": "x", "next": "/studio/?" + evil})
    assert "<script>" not in answer.text
    assert "&lt;script&gt;" in answer.text
    assert "<script" not in place.client().get("/login", params={"next": "/" + evil}).text


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example", "https://evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "evil.example",
        "/\t/evil.example", "/\n/evil.example", "///evil.example", " //evil.example", "http:evil.example", "", "/" + "x" * 5000,
    ],
)  # fmt: skip
def test_next_stays_here(place: House, path: str) -> None:
    assert local(path) == ""
    answer = place.client().post("/login", data={"name": "rosa", "password": PASSWORD, "next": path})
    assert answer.headers["location"] == "/studio/"


@pytest.mark.parametrize("path", ["/studio/images?suite=a&b=%2F%2Fx#top", "/annotate/", "/"])
def test_next_leads_to_ours(path: str) -> None:
    assert local(path) == path


def test_a_sign_in_begins_a_new_session(place: House) -> None:
    # whoever planted a session of theirs in this browser learns nothing by it
    client = place.invited("planted")
    before = dict(client.cookies)
    client.post("/login", data={"name": "rosa", "password": PASSWORD})
    after = dict(client.cookies)
    assert before.keys() == after.keys()
    was, held = (json.loads(base64.b64decode(next(iter(entry.values())).split(".")[0])) for entry in (before, after))
    assert set(held) == {"name", "account", "id", "begun", "seen"}
    assert was["id"] != held["id"]
    old = place.client()
    old.cookies = before
    assert old.get("/api/next").status_code == 401


@pytest.mark.parametrize("path", ["/login", "/logout", "/join/x"])
@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}])
def test_other_sites_cannot_sign_anybody_in_or_out(place: House, path: str, headers: dict[str, str]) -> None:
    client = place.account("anna")
    data = {"name": "rosa", "password": PASSWORD}
    assert client.post(path, data=data, headers=headers).status_code == 403
    assert client.get("/api/next").json()["name"] == "anna"


def test_the_forms_of_our_own_pages_come_with_an_origin(place: House) -> None:
    # with "no-referrer" browsers would send "null"
    assert place.client().get("/login").headers["referrer-policy"] == "same-origin"


def test_too_much(place: House) -> None:
    assert place.client().post("/login", data={"name": "rosa", "password": "x" * 300_000}).status_code == 413


def test_sessions_outlive_the_app_and_end_with_the_account(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        client = place.account("rosa")
        cookies = dict(client.cookies)
        project = place.store.project
    with Store(project) as store:
        place = House(store, create_app(store, TOKEN, Accounts(place.users), pages=False), place.users)

        def status(cookies: dict[str, str] = cookies) -> int:
            client = place.client()
            client.cookies = cookies
            return client.get("/api/studio/version").status_code

        assert status() == 200
        changed = (({"rosa": "annotator"}, HASH), ({"other": "researcher"}, HASH), (None, HASH.replace("$m=8", "$m=16")))
        for people, password in changed:
            users_file(place.users, people, password)
            assert status() == 401
            users_file(place.users)
            # what has ended does not come back
            assert status() == 401
            cookies.update(place.account("rosa").cookies)
            assert status() == 200
        # half-written: the accounts stay as they were, and say so
        place.users.write_text("[[user]]\nname = ")
        assert status() == 200


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two wrong passwords, however slow the machine is."""
    monkeypatch.setattr(routes, "SignInLimiter", lambda: SignInLimiter(lambda: 0.0))


@pytest.mark.usefixtures("no_time_passes")
def test_wrong_passwords_wait(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        wrong, right = {"name": "rosa", "password": "wrong"}, {"name": "Rosa", "password": PASSWORD}
        guesser = place.client("10.0.0.1")
        statuses = [guesser.post("/login", data=wrong).status_code for _ in range(FREE_BY_NAME + 1)]
        assert statuses == [401] * FREE_BY_NAME + [429]
        answer = guesser.post("/login", data=right | {"name": "rosa"})
        assert (answer.status_code, "Wait 1 s, then try again" in answer.text) == (429, True)
        assert guesser.post("/login", data={"name": "anna", "password": PASSWORD}).status_code == 303
        # the real person, anywhere else
        assert place.client("10.1.1.1").post("/login", data=right | {"name": "rosa"}).status_code == 303


def test_a_stranger_locks_nobody_out() -> None:
    now = [0.0]
    limiter = SignInLimiter(lambda: now[0])
    for n in range(100 * FREE_BY_NAME):
        limiter.attempt("rosa", f"10.0.{n % 250}.1")
    assert limiter.attempt("rosa", "10.9.9.9") == 0
    # and at the stranger's own address they wait a minute, not for good
    waits = []
    for _ in range(FREE_BY_NAME + 10):
        while wait := limiter.attempt("rosa", "10.0.0.1"):
            waits.append(wait)
            now[0] += wait
    assert waits[:4] == sorted(waits[:4])
    assert max(waits) == LONGEST_SECONDS


def test_an_address_waits_whatever_names_it_tries() -> None:
    now = [0.0]
    limiter = SignInLimiter(lambda: now[0])
    for n in range(FREE_BY_ADDRESS):
        assert limiter.attempt(f"name {n}", "10.0.0.1") == 0
    assert limiter.attempt("another", "10.0.0.1") == 1
    assert limiter.attempt("another", "10.0.0.2") == 0
    now[0] = 1.0
    assert limiter.attempt("another", "10.0.0.1") == 0
    assert limiter.attempt("another", "10.0.0.1") == 2
    now[0] = 1.0 + WINDOW_SECONDS
    assert limiter.attempt("another", "10.0.0.1") == 0


def test_a_success_is_no_failure() -> None:
    limiter = SignInLimiter(lambda: 0.0)
    for _ in range(10 * FREE_BY_ADDRESS):
        assert limiter.attempt("ann", "::1") == 0
        limiter.succeeded("ann", "::1")


def test_one_household_is_one_address() -> None:
    limiter = SignInLimiter(lambda: 0.0)
    waits = [limiter.attempt(f"n{n}", f"2001:db8::{n:x}") for n in range(FREE_BY_ADDRESS + 1)]
    assert waits == [0.0] * FREE_BY_ADDRESS + [1.0]


def test_memory_is_bounded() -> None:
    limiter = SignInLimiter(lambda: 0.0)
    for n in range(30_000):
        limiter.attempt(f"name {n}", f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}")
    assert len(limiter._failed) <= 10_002


def test_passwords() -> None:
    known = hash_password("päss wörd")
    assert known.startswith("$argon2id$")
    assert hash_password("päss wörd") != known
    assert password_fits("päss wörd", known)
    assert not password_fits("pass word", known)
    assert not password_fits("nobody has this password", None)
    assert not password_fits("x", "no hash")


ENTRY = f'[[user]]\nname = "ada"\nrole = "researcher"\npassword = "{HASH}"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must have an entry [[user]]"),
        ("x = 1", "must have an entry [[user]]"),
        ("user = 3", "must have an entry [[user]]"),
        ("user = [3]", "user 1: write one entry per person"),
        ("[[user]\n", "not TOML: "),
        ('[[user]]\nname = "ada\n', "line 2"),
        (ENTRY + "\n" + ENTRY, "line 6: there is another 'ada'"),
        (ENTRY + ENTRY.replace("ada", "ADA"), "line 5: there is another 'ADA'"),
        (ENTRY.replace("researcher", "boss"), "line 1: role must be annotator, researcher or admin, not 'boss'"),
        (ENTRY.replace(HASH, "secret"), "line 1: password must be what `uv run app.py people hash` prints"),
        (ENTRY.replace("name", "nome"), "line 1: 'nome' is not known here"),
        (ENTRY.replace('name = "ada"\n', ""), "line 1: name is missing"),
        (ENTRY.replace('"ada"', "7"), "line 1: name is missing, or is not a text"),
        (ENTRY.replace("ada", " ada"), "the name ' ada' cannot be"),
        (ENTRY.replace("ada", "prolific-0123456789"), "cannot be"),
        (ENTRY.replace("ada", "a\\u200bda"), "cannot be"),
    ],
)
def test_a_bad_file_says_where(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "users.toml"
    file.write_text(text)
    with pytest.raises(AccountsError) as caught:
        read(file)
    assert str(caught.value).startswith(str(file))
    assert says in str(caught.value)
    assert "secret" not in str(caught.value)
    ran = concord(tmp_path / "project", "serve", "--users", file, "--no-browser")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"serve: --users {file}")
    assert not (tmp_path / "project").exists()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(AccountsError, match="No such file"):
        read(tmp_path / "nothing.toml")
    (tmp_path / "latin.toml").write_bytes(b'x = "\xff"')
    with pytest.raises(AccountsError, match="not UTF-8"):
        read(tmp_path / "latin.toml")


@pytest.mark.parametrize("root", ["concord?x", "/a b", "/a/../b", "https://h/x", "/a//b"])
def test_a_bad_root_path(tmp_path: Path, root: str) -> None:
    ran = concord(tmp_path / "project", "serve", "--root-path", root, "--no-browser")
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("serve: --root-path ")


def test_hash_asks_twice_and_prints_a_line_to_paste(tmp_path: Path) -> None:
    def ran(typed: str) -> tuple[int, str]:
        done = CliRunner().invoke(command_line.app, ["people", "hash"], input=typed)
        assert "secret" not in done.output.replace("secret123\n", "")
        return done.exit_code, done.stdout

    status, line = ran("secret123\nsecret123\n")
    assert status == 0
    file = tmp_path / "users.toml"
    file.write_text(f'[[user]]\nname = "ada"\nrole = "admin"\n{line}')
    assert password_fits("secret123", read(file)[0]["ada"].password)
    assert ran("secret123\nsecret124\n")[0] == 1
    assert ran("short\nshort\n")[0] == 1


@pytest.mark.parametrize(
    ("address", "headers", "secure"),
    [
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}, True),
        ("127.0.0.1", {"X-Forwarded-Proto": "http"}, False),
        ("127.0.0.1", {}, False),
        # whoever is no proxy of ours says nothing about itself that counts
        ("10.0.0.7", {"X-Forwarded-Proto": "https"}, False),
    ],
)
def test_cookies_go_back_the_way_they_came(place: House, address: str, headers: dict[str, str], secure: bool) -> None:
    answer = place.client(address).post("/login", data={"name": "adam", "password": PASSWORD}, headers=headers)
    cookie = answer.headers["set-cookie"].lower()
    assert ("; secure" in cookie) is secure
    assert "httponly" in cookie
    assert "samesite=lax" in cookie


@pytest.mark.usefixtures("no_time_passes")
def test_the_address_behind_a_proxy_is_the_one_that_it_heard(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        for n in range(FREE_BY_ADDRESS):
            # what stands before is the sender's own invention
            headers = {"X-Forwarded-For": f"1.2.3.{n}, 203.0.113.9"}
            place.client("127.0.0.1").post("/login", data={"name": f"n{n}", "password": "x"}, headers=headers)

        def status(address: str, forwarded: str) -> int:
            client = place.client(address, **{"X-Forwarded-For": forwarded})
            return client.post("/login", data={"name": "adam", "password": PASSWORD}).status_code

        assert status("127.0.0.1", "203.0.113.9") == 429
        assert status("127.0.0.1", "203.0.113.8") == 303
        assert status("203.0.113.9", "203.0.113.8") == 429


def test_origins_behind_a_proxy(place: House) -> None:
    data = {"name": "adam", "password": PASSWORD}
    forwarded = {"X-Forwarded-Host": "lab.example", "X-Forwarded-Proto": "https"}
    ours, theirs = {"Origin": "https://lab.example"}, {"Origin": "https://evil.example"}

    def status(address: str, *headers: dict[str, str]) -> int:
        client = place.client(address, "127.0.0.1:7860")
        return client.post("/login", data=data, headers={k: v for header in headers for k, v in header.items()}).status_code

    assert status("127.0.0.1", forwarded, ours) == 303
    assert status("127.0.0.1", forwarded, theirs) == 403
    assert status("10.0.0.7", forwarded, ours) == 403


@pytest.mark.parametrize("host", ["concord.example", "192.168.1.5:7860", "[2001:db8::1]:80", "evil.example"])
def test_with_accounts_every_host_is_a_name_and_none_is_a_key(place: House, host: str) -> None:
    client = place.client(host=host)
    assert client.get("/login").status_code == 200
    assert client.get("/api/next").status_code == 401
    assert place.client().get("/login", headers={"Host": "a b"}).status_code == 400


def test_pages_below_a_prefix(tmp_path: Path) -> None:
    with house(tmp_path, "/lab", pages=True) as place:
        for before in ("", "/lab"):
            client = place.client()
            answer = client.get(f"{before}/studio/images?x=1", headers=PAGE)
            assert answer.headers["location"] == "/lab/login?next=%2Fstudio%2Fimages%3Fx%3D1"
            assert 'action="/lab/login"' in client.get(f"{before}/login").text
            answer = client.post(f"{before}/login", data={"name": "rosa", "password": PASSWORD, "next": "/studio/images?x=1"})
            assert answer.headers["location"] == "/lab/studio/images?x=1"
            assert "path=/lab;" in answer.headers["set-cookie"]
            assert client.get("/lab/").headers["location"] == "/lab/studio/"
            assert client.get("/lab/studio/config").json()["root"] == "http://concord.example/lab/studio"
            assert client.get("/lab/assets/css/concord.css").status_code == 200
            assert client.get("/labx/assets/css/concord.css").status_code == 404
        assert place.invited("kim").get("/lab/api/next").json()["tasks"][0]["images"][0]["image"].startswith("/lab/img/")
        assert place.account("anna").get("/lab/lab/studio/config").status_code == 404
        assert place.account("anna").get("/lab/studio/config").status_code == 403
