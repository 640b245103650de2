"""An answer's context is what the project knows of it, in one read."""

from __future__ import annotations

import pytest

from data.campaigns.settings import Settings
from data.store.campaigns import management
from data.store.campaigns.answer_context import SentReference, answer_context
from data.store.core.store import Store
from data.store.judgements import answer_status
from tests.data.store.small_campaign import NAME, start


def test_a_context_is_what_the_project_knows_of_an_answer(store: Store) -> None:
    c = start(store, 1, settings=Settings(order="fixed", consent="Yes?"))
    (task,) = c.desk("ann").tasks
    sent = SentReference("ann", NAME, NAME, task.public_id)
    context = answer_context(store, sent)
    assert context.campaign is not None
    assert (context.campaign.campaign_id, context.turned_to, context.task) == (NAME, context.campaign, task)
    assert (context.worked, context.consented, context.saw_evidence, context.revised) == (True, False, False, None)
    text = management.consent_hash(context.campaign.settings)
    assert text is not None
    management.give_consent(store, NAME, "ann", text)
    answer_status.record_unblinding(store, "ann", task.item_id, answer_status.ON_REQUEST)
    after = answer_context(store, sent)
    assert (after.consented, after.saw_evidence) == (True, True)
    elsewhere = answer_context(store, SentReference("bob", NAME, "default", "no-ticket"))
    assert (elsewhere.worked, elsewhere.task, elsewhere.turned_to) == (False, None, None)


def test_a_context_is_one_read_of_the_database(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    c = start(store, 1)
    (task,) = c.desk("ann").tasks
    reads, read = list[int](), Store.read

    def counted(self: Store) -> object:
        reads.append(1)
        return read(self)

    monkeypatch.setattr(Store, "read", counted)
    answer_context(store, SentReference("ann", NAME, "default", task.public_id, "00000000-0000-0000-0000-000000000000"))
    assert len(reads) == 1
