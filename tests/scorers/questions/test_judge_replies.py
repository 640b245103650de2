"""The forms in which judges reply: what each names, and what is not guessed."""

from __future__ import annotations

import pytest

from scorers.questions.judge_replies import ReadReply, read_reply

YES_NO = ("yes", "no")
GRADES = tuple(str(grade) for grade in range(11))
FIVE = ("1", "2", "3", "4", "5")
SIDES = ("left", "right", "no difference")
NUMBERS = ("two", "three", "four", "five")
COLORS = ("red", "dark red", "blue", "a mix")
CHINESE = ("是", "否")

READ = [
    # the letter alone, as it is asked for
    ("A", YES_NO, 0), ("b\nIt is grey.", YES_NO, 1), (" **B.** ", YES_NO, 1), ("(A)", YES_NO, 0), ("[B]", YES_NO, 1),
    ("A. yes", YES_NO, 0), ("B: No", YES_NO, 1), ("a)", YES_NO, 0), ("`A`", YES_NO, 0), ("# A", YES_NO, 0),
    ("- B", YES_NO, 1),
    ("Ａ", YES_NO, 0), ("（B）", YES_NO, 1), ("B。", YES_NO, 1), ("A\n\n", YES_NO, 0), ("Option B", YES_NO, 1),
    ("$A$", YES_NO, 0),
    ("\\boxed{B}", YES_NO, 1), ("\\boxed{\\text{A}}", YES_NO, 0), ("<answer>B</answer>", YES_NO, 1),
    # the letter with a reason
    ("A. because the cow is in front", YES_NO, 0), ("A) There is a cow.", YES_NO, 0), ("B - the cow is missing", YES_NO, 1),
    ("A, because there is one", YES_NO, 0), ("B because there is none", YES_NO, 1), ("A (yes)", YES_NO, 0),
    ("**A. yes** - a cow stands there", YES_NO, 0), ("B is correct.", YES_NO, 1), ("A: there is a cow", YES_NO, 0),
    ("A\nReason: it is there.", YES_NO, 0), ("B. no\nA cow would be brown.", YES_NO, 1), ("A、图中有一头牛", YES_NO, 0),
    # behind a word
    ("Answer: A", YES_NO, 0), ("The answer is A.", YES_NO, 0), ("**Answer:** B", YES_NO, 1),
    ("Answer: **(B) no**", YES_NO, 1),
    ("answer - yes", YES_NO, 0), ("The correct answer is: B", YES_NO, 1), ("My answer is yes.", YES_NO, 0),
    ("The best choice is option A", YES_NO, 0), ("Final answer: B", YES_NO, 1), ("Answer:\nB", YES_NO, 1),
    ("Choice: a", YES_NO, 0),
    ("There is a cow beside a car.\nAnswer: A", YES_NO, 0),
    ("Let me look. The cow is brown. So the answer is yes.", YES_NO, 0),
    ("At first it seems that the answer is A, but the horns are missing.\nFinal answer: B", YES_NO, 1),
    ("I would choose B.", YES_NO, 1), ("I'd go with A, as there is a cow.", YES_NO, 0), ("Antwort: ja", YES_NO, 0),

    ("Réponse : non", YES_NO, 1), ("答案：A", YES_NO, 0), ("答案是B。", YES_NO, 1), ("回答：是", YES_NO, 0),
    ("Verdict: No", YES_NO, 1),
    ("The answer is \"yes\".", YES_NO, 0), ("The answer: **yes**", YES_NO, 0), ("I can see no horns.\n\nB", YES_NO, 1),
    # in words
    ("No", YES_NO, 1), ("yes.", YES_NO, 0), ("**Yes**, there is", YES_NO, 0), ("Yes, there is a cow.", YES_NO, 0),
    ("NO!", YES_NO, 1),
    ("Yes there is a cow", YES_NO, 0), ("No, the cow is missing.", YES_NO, 1), ("_yes_", YES_NO, 0),
    ("Yes - a cow", YES_NO, 0),
    ("No there is not", YES_NO, 1), ('"Yes"', YES_NO, 0), ("Yes\nThere is no car.", YES_NO, 0), ("Yeah.", YES_NO, 0),
    ("True", YES_NO, 0),
    ("dark red, as wine", COLORS, 1), ("Red.", COLORS, 0), ("The answer is dark red.", COLORS, 1),
    ("D. a mix of both", COLORS, 3),
    ("A mix", COLORS, 3), ("a mix.", COLORS, 3), ("left", SIDES, 0), ("The answer is the right image.", SIDES, 1),
    ("Left image is clearly better.", SIDES, 0), ("No difference", SIDES, 2), ("No difference: both show it.", SIDES, 2),
    ("I prefer the left one", SIDES, 0), ("左图", SIDES, 0), ("C. no difference", SIDES, 2),
    # other languages
    ("是的，图中有一头牛。", YES_NO, 0), ("不是。", YES_NO, 1), ("没有", YES_NO, 1), ("Ja, da steht eine Kuh.", YES_NO, 0),
    ("Sí.", YES_NO, 0),
    ("はい、います。", YES_NO, 0), ("Нет.", YES_NO, 1), ("否，没有牛", CHINESE, 1), ("是", CHINESE, 0), ("Yes", CHINESE, 0),
    ("B", CHINESE, 1),
    ("A. 是", CHINESE, 0), ("네.", YES_NO, 0), ("Não, falta a vaca.", YES_NO, 1),
    # numbers
    ("7", GRADES, 7), ("**7**", GRADES, 7), ("10", GRADES, 10), ("8/10", GRADES, 8), ("Rating: 4/5", FIVE, 3),
    ("4 out of 5", FIVE, 3),
    ("Score: 9", GRADES, 9), ("7.0", GRADES, 7), ("Grade: 6 out of 10.", GRADES, 6),
    ("I'd rate this 7 out of 10.", GRADES, 7),
    ("I would give it a 3.", GRADES, 3), ("评分：8", GRADES, 8), ("5 stars", FIVE, 4), ("8分", GRADES, 8),
    ("7, as the car is missing", GRADES, 7),
    ("H", GRADES, 7), ("H. 7", GRADES, 7), ("The rating is 5 of 5", FIVE, 4), ("Overall score: **8/10**", GRADES, 8),
    ("４", FIVE, 3),
    ("four", NUMBERS, 2), ("4", NUMBERS, 2), ("Four.", FIVE, 3), ("three, one is hidden", NUMBERS, 1), ("0", GRADES, 0),
    ("1", GRADES, 1),
    # JSON
    ('{"answer": "A"}', YES_NO, 0), ('```json\n{"answer": "B", "reason": "no cow"}\n```', YES_NO, 1),
    ('{"answer": "yes"}', YES_NO, 0),
    ('```\n{"choice": "A. yes"}\n```', YES_NO, 0), ('Here it is:\n```json\n{"score": 8}\n```\nThat is all.', GRADES, 8),
    ('{"answer": true}', YES_NO, 0), ('{"reasoning": "a cow", "final_answer": "No."}', YES_NO, 1),
    ("{'answer': 'A'}", YES_NO, 0),
    ('My verdict: {"answer": "B"}', YES_NO, 1), ('{"Answer": "B", "Rating": "no"}', YES_NO, 1),
    ('[{"answer": "A"}]', YES_NO, 0),
    ('{"winner": "left"}', SIDES, 0), ('{"rating": "4/5"}', FIVE, 3), ('{"答案": "是"}', YES_NO, 0),
    ('{"score": 7.0}', GRADES, 7),
    ("```\nA\n```", YES_NO, 0),
    # thoughts before it
    ("<think>Is it B? The answer is B. Hm, no.</think>\nA", YES_NO, 0),
    ("<think>\nno\n</think>\n\nYes, there is.", YES_NO, 0),
    ("A cow? The answer is B.</think>A", YES_NO, 0), ("<thinking>8/10?</thinking>Score: 6", GRADES, 6),
    ("◁think▷no◁/think▷yes", YES_NO, 0),
    ('<think>x</think>```json\n{"answer": "B"}\n```', YES_NO, 1),
    ("<reasoning>yes</reasoning><answer>no</answer>", YES_NO, 1),
]  # fmt: skip

NOT_READ = [
    ("", YES_NO), ("\n", YES_NO), ("A bicycle is there", YES_NO), ("Sure!", YES_NO), ("C", YES_NO), ("A. no", YES_NO),
    ("1", YES_NO),
    ("B's", YES_NO), ("Yes or no", YES_NO), ("yes/no", YES_NO), ("A or B", YES_NO), ("A, B", YES_NO), ("A and B", YES_NO),
    ("A/B", YES_NO),
    ("A. yes\nB. no", YES_NO), ("The answer is not A.", YES_NO), ("I cannot tell.", YES_NO), ("No cows are visible", YES_NO),
    ("Answer: A\nAnswer: B", YES_NO), ("Final answer: A\nFinal answer: B", YES_NO), ("A\nFinal: I do not know\nB", YES_NO),
    ("<think>The answer is A", YES_NO), ("<think>A</think>", YES_NO), ('{"answer": "A", "choice": "B"}', YES_NO),
    ('{"answer": "maybe"}', YES_NO),
    ('{"answer": ["A", "B"]}', YES_NO), ('{"reason": "yes"}', YES_NO), ("I am sorry, I cannot help with that.", YES_NO),
    ("Yesterday", YES_NO),
    ("Not sure", YES_NO), ("Nothing", YES_NO), ("A cow", YES_NO), ("a", ("x",)[:0]), ("Answer:", YES_NO),
    ("The answer is unclear.", YES_NO),
    ("yes and no", YES_NO),
    ("no, yes", YES_NO), ("Yes? No.", YES_NO), ("无法判断", YES_NO), ("不确定", YES_NO), ("是否有牛", YES_NO),
    ("I, as a judge, cannot say", GRADES), ("I'm not sure", GRADES), ("I see 3 cows", GRADES), ("A-frame houses", YES_NO),
    ("A: maybe\nB: maybe", YES_NO), ("Answer: A or B", YES_NO), ("The answer is between 3 and 5", FIVE),
    ("4.5", FIVE), ("4-5", FIVE), ("3 or 4", FIVE), ("4/10", FIVE), ("8/5", FIVE), ("80%", GRADES), ("11", GRADES),
    ("-3", GRADES), ("4 to 5", FIVE),
    ("7 out of 20", GRADES), ("between 3 and 4", FIVE), ("2 cows and 3 cars", FIVE), ("3 of the 4 objects", FIVE),
    ("12", FIVE), ("1,000", GRADES),
    ("The car is not red.", COLORS), ("red or blue", COLORS), ("Redder", COLORS), ("red-blue", COLORS),
    ("Left is worse.", SIDES),
    ("Both are good.", SIDES), ("left and right", SIDES), ("Leftovers", SIDES), ("A horse stands left of it.", SIDES),
]  # fmt: skip


@pytest.mark.parametrize(("text", "choices", "place"), READ)
def test_a_reply_names_its_choice(text: str, choices: tuple[str, ...], place: int) -> None:
    assert read_reply(text, choices).choice == place


@pytest.mark.parametrize(("text", "choices"), NOT_READ)
def test_a_reply_that_names_none_or_several_is_not_guessed(text: str, choices: tuple[str, ...]) -> None:
    assert read_reply(text, choices).choice is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A\n\nThere are  two.\nBoth red.", "There are two. Both red."),
        ("A", None),
        ("A. because the cow is in front", "because the cow is in front"),
        ("**Yes**, there is a cow.", "there is a cow."),
        ('```json\n{"answer": "A", "reason": "a cow  stands there"}\n```', "a cow stands there"),
        ("<think>hm</think>B\nNo horns.", "No horns."),
    ],
)
def test_the_reason_is_kept(text: str, reason: str | None) -> None:
    assert read_reply(text, YES_NO).reason == reason


def test_a_reply_of_any_length_is_read_fast_and_its_reason_is_cut() -> None:
    assert read_reply("A\n" + "x" * 5000, YES_NO) == ReadReply(0, "x" * 1000)
    for text in ("(" * 50_000, "<think>" * 20_000, "{" * 50_000, "answer is " * 20_000, "```" * 20_000, "*" * 50_000):
        assert read_reply(text, YES_NO).choice is None
