"""What a campaign says of its people: append-only, the latest counts, and no field is made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.campaigns import recruitment
from data.refusals import CampaignRefused
from data.store.campaigns import management
from data.store.core.store import Store
from tests.data.store.small_project import column
from tests.ui.small_project import concord, done


def test_the_latest_counts_and_all_is_kept(store: Store) -> None:
    with store.read() as cursor:
        cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 2, current_timestamp)")
    assert management.recruitment_of(store, "default") == {}
    answers = management.describe_recruitment(store, "default", {"ethics": " none ", "workers": "40\x00"}, "rosa")
    # in the report's order, stripped
    assert list(answers.items()) == [("workers", "40"), ("ethics", "none")]
    assert management.describe_recruitment(store, "default", {"workers": "41", "ethics": "  "}, "ben") == {"workers": "41"}
    # saying it again is nothing new
    management.describe_recruitment(store, "default", {"workers": "41"}, "ben")
    assert management.recruitment_of(store, "default") == {"workers": "41"}
    assert column(store, "select made_by from recruitments order by seq") == ["rosa", "ben"]


def test_what_cannot_be_said(store: Store) -> None:
    with pytest.raises(CampaignRefused, match="there is no campaign 'x'"):
        management.describe_recruitment(store, "x", {"ethics": "none"}, "rosa")
    with pytest.raises(ValueError, match="there is no field 'pay'; there are workers, "):
        management.describe_recruitment(store, "default", {"pay": "1"}, "rosa")
    with pytest.raises(ValueError, match="4,001 characters; 4,000 at most"):
        management.describe_recruitment(store, "default", {"ethics": "x" * (recruitment.MAX_RECRUITMENT_LENGTH + 1)}, "rosa")
    assert column(store, "select count(*) from recruitments") == [0]


def test_the_command(tmp_path: Path) -> None:
    project = tmp_path / "project"
    with Store(project) as store, store.read() as cursor:
        cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('pilot', 2, current_timestamp)")
    made = done(project, "campaigns", "describe", "pilot", "--field", "pay_per_item=0.05 USD = 5 cents")
    assert made.startswith("1 field of campaign 'pilot' said; not reported: workers, recruitment, ")
    parts = done(project, "campaigns", "describe", "pilot").splitlines()
    assert [line.split(":")[0] for line in parts] == list(recruitment.RECRUITMENT_FIELDS)
    assert "pay_per_item: 0.05 USD = 5 cents" in parts
    assert sum(": not reported (" in line for line in parts) == len(recruitment.RECRUITMENT_FIELDS) - 1
    ran = concord(project, "campaigns", "describe", "pilot", "--field", "pay=1")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("campaigns describe: --field pay=1: NAME=TEXT, with NAME one of workers, ")
    done(project, "campaigns", "delete", "pilot")
    assert concord(project, "campaigns", "describe", "pilot").status == 1
