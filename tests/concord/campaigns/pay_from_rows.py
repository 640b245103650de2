"""Pay computed from the raw rows of a campaign, independently of the rules that the product uses."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from data.campaigns.settings import Settings
from data.store.core.store import Store


def cents(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def pay_by_person(store: Store, campaign: str, now: datetime, settings: Settings) -> dict[str, Decimal]:
    """Return everybody's pay, unless they are rejected, by the rules of ``docs/campaigns.md`` and nothing else."""
    price, base = Decimal(settings.item_price), Decimal(settings.base_pay or 0)
    with store.read() as cursor:
        answers = cursor.execute(
            "select rater_id, item_id, status, surplus_reason, submitted from annotations"
            " where campaign_id = ? and revises is null",
            [campaign],
        ).fetchall()
        left = cursor.execute(
            "select rater_id, outcome, moment, items from departures where campaign_id = ? order by moment", [campaign]
        )
        departed: dict[str, tuple[str, datetime, int]] = {}
        for who, outcome, moment, n in left.fetchall():
            # who has reached the end stays there until they answer more; a pause is not how somebody leaves
            if outcome != "paused" and departed.get(who, ("",))[0::2] != ("completion", n):
                departed[who] = outcome, moment, n
        revoked = "select rater_id, bool_or(uncounted) from revocations where lifted is null group by rater_id"
        out = dict(cursor.execute(revoked).fetchall())
        held = {who for (who,) in cursor.execute("select rater_id from claims where until > ?", [now]).fetchall()}
    pay = {}
    for who in {row[0] for row in answers} | set(departed):
        mine = [row for row in answers if row[0] == who]
        asked = [row for row in mine if row[3] not in ("skipped", "reported", "not given", "limit", "budget")]
        items, valid = {row[1] for row in asked}, {row[1] for row in asked if row[2] == "valid"}
        last = max((row[4] for row in asked), default=None)
        outcome, moment, _ = departed.get(who, (None, None, 0))
        at_work = who in held or (last is not None and now - last < timedelta(minutes=settings.lease_minutes))
        said = outcome is not None and (last is None or last <= moment)
        if out.get(who):
            pay[who] = cents(price * len(valid))
        elif who in out and not (said and outcome == "completion"):
            pay[who] = cents(price * len(items))
        elif (said and outcome == "completion") or (not said and at_work):
            pay[who] = max(cents(price * len(items)), base) if items else Decimal(0)
        else:
            pay[who] = cents(price * len(items))
    return pay
