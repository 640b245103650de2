"""Questionnaires by name."""

from __future__ import annotations

import difflib
from typing import Final

from annotation.questionnaires import ab, geneval, tifa_likert, tifa_vqa, visor
from annotation.questionnaires.form import Form

FORMS: Final[dict[str, Form]] = {
    form.name: form for form in (geneval.FORM, tifa_likert.FORM, tifa_vqa.FORM, visor.FORM, ab.FORM)
}


def get(name: str, definition: str | None = None) -> Form:
    """The questionnaire of this name; with the ``definition`` (YAML text) the user's own one.

    Raises:
        ValueError: there is none of this name, or the definition is wrong.
    """
    if definition is not None:
        from annotation.questionnaires.custom import read

        return read(definition)
    if name not in FORMS:
        near = difflib.get_close_matches(name, FORMS, 1, 0.4)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(FORMS)}, or a YAML file of your own"
        raise ValueError(f"there is no questionnaire {name!r}; {hint}")
    return FORMS[name]
