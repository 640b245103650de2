"""Prompts and question lists in the forms in which suites publish them: each made up here, none copied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.small_project import concord, done, query

PROMPTS = "select prompt_id || '|' || coalesce(task, '-') || '|' || text from prompts order by prompt_id"
QUESTIONS = "select prompt_id || '|' || text || '|' || parents from questions order by prompt_id, version, position"


def points(*pairs: tuple[str, str], keys: tuple[str, str, str] = ("Testpoints", "Testpoint Description", "Subjects")) -> str:
    value = json.dumps({keys[0]: [kind for kind, _ in pairs], keys[1]: [text for _, text in pairs]}, ensure_ascii=False)
    return '"' + value.replace('"', '""') + '"'


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        # PartiPrompts: no ids, a note that may be empty
        ("p.tsv", 'Prompt\tCategory\tChallenge\tNote\na "cube\tAbstract\tBasic\t\n', ['s/00000|Abstract|a "cube']),
        # DrawBench
        ("d.csv", "Prompts,Category\nA tin car.,Colors\n", ["s/00000|Colors|A tin car."]),
        # a table of one's own, with quoted commas, a byte order mark and CRLF
        (
            "o.csv",
            '\ufeffprompt_id,prompt,task\r\n7,"a cube, red",count\r\n9,an urn,\r\n',
            ["s/7|count|a cube, red", "s/9|-|an urn"],
        ),
        # semicolons, as spreadsheets save in half of the world
        ("e.csv", "id;prompt;category\nk1;a jar, blue;color\n", ["s/k1|color|a jar, blue"]),
        # UniGenBench's lists are prompts, too
        ("u.csv", f"index,prompt_zh,sub_dims_zh\n4,一只蓝猫,{points(('风格', '油画'))}\n", ["s/4|-|一只蓝猫"]),
        # DSG-1k: a row a question
        (
            "g.csv",
            "item_id,text,proposition_id,dependency,question_natural_language\n"
            "m_3,a tin cat,1,0,Cat?\nm_3,a tin cat,2,1,Tin?\n",
            ["s/m_3|-|a tin cat"],
        ),
        # GenAI-Bench: an object by id
        (
            "g.json",
            json.dumps({"00003": {"id": "00003", "prompt": "a tin hen", "prompt in Chinese": "x", "models": {}}}, indent=1),
            ["s/00003|-|a tin hen"],
        ),
        # MJHQ: an object by hash, without ids within
        ("m.json", json.dumps({"ab12": {"category": "food", "prompt": "a pie"}}), ["s/ab12|food|a pie"]),
        # HPD: an array of texts
        ("h.json", json.dumps(["a fen", "a moor"]), ["s/00000|-|a fen", "s/00001|-|a moor"]),
        # VBench: several dimensions
        ("v.json", json.dumps([{"prompt_en": "a kite", "dimension": ["color", "style"]}]), ["s/00000|color+style|a kite"]),
        # WISE: ids are numbers
        ("w.json", json.dumps([{"prompt_id": 401, "Prompt": "the gift", "Category": "Culture"}]), ["s/401|Culture|the gift"]),
        # TIIF: the texts of its questions
        (
            "t.jsonl",
            json.dumps({"type": "color", "short_description": "a red fen.", "long_description": "There is a fen."}),
            ["s/00000|color|a red fen."],
        ),
        # ImageReward
        (
            "i.json",
            json.dumps([{"id": "000864-0061", "prompt": "a lute", "generations": ["x.png"]}]),
            ["s/000864-0061|-|a lute"],
        ),
        # OneIG: ids begin anew in each category
        (
            "OneIG-Bench.json",
            json.dumps([{"category": c, "id": "000", "prompt_en": f"a {c} boat"} for c in ("Anime_Stylization", "Portrait")]),
            [
                "s/Anime_Stylization-000|Anime_Stylization|a Anime_Stylization boat",
                "s/Portrait-000|Portrait|a Portrait boat",
            ],
        ),
    ],
)
def test_published_prompts_keep_their_ids_and_tasks(
    project: Path, tmp_path: Path, name: str, content: str, expected: list[str]
) -> None:
    (tmp_path / name).write_bytes(content.encode())
    done(project, "import", "prompts", tmp_path / name, "--suite", "s")
    assert query(project, PROMPTS) == expected


def test_a_folder_of_texts_is_a_suite(project: Path, tmp_path: Path) -> None:
    """DPG-Bench publishes a file for each prompt."""
    for name, text in {"12": "a long text\n", "coco4": "another"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    done(project, "import", "prompts", tmp_path, "--suite", "dpg-bench")
    assert query(project, PROMPTS) == ["dpg-bench/12|-|a long text", "dpg-bench/coco4|-|another"]


@pytest.mark.parametrize(
    ("name", "content", "line", "why"),
    [
        ("p.csv", "prompt,task\na cat,x\n ,y\na dog,z\n", 3, "'prompt' is ' ', a text expected"),
        ("p.jsonl", '{"prompt": "a"}\n{"prompt": 4}\n{"prompt": "b"}\n', 2, "'prompt' is 4, a text expected"),
        ("p.jsonl", '{"prompt": "a"}\n{oops\n{"prompt": "b"}\n', 2, "not JSON"),
        ("p.csv", "prompt_id,prompt\n1,a cat\n2,a dog\n1,a bird\n", 4, "has 'a cat', not 'a bird'; ids must differ"),
        ("p.csv", "prompt_id,prompt\n1,a cat\na/b,a cow\n3,a dog\n", 3, "it must begin with 's/'"),
        ("p.csv", 'prompt,spec\na cat,"{""a"": ""cat""}"\na dog,{\na cow,\n', 3, "'spec' is '{', a JSON object expected"),
    ],
)
def test_a_flawed_prompt_is_named_and_the_rest_is_imported(
    project: Path, tmp_path: Path, name: str, content: str, line: int, why: str
) -> None:
    (tmp_path / name).write_text(content)
    ran = concord(project, "import", "prompts", tmp_path / name, "--suite", "s")
    assert ran.status == 1
    assert f"left out: {tmp_path / name}:{line}: " in ran.err
    assert why in ran.err
    assert query(project, "select count(*) from prompts") == [2]


@pytest.mark.parametrize(
    ("name", "content", "suite", "expected"),
    [
        (
            "test_prompts_zh.csv",
            f"index,prompt_zh,sub_dims_zh\n0,一只蓝猫,{points(('属性-数量', '一只'), keys=('考点', '考点对应描述', ''))}\n",
            "unigenbench-zh",
            ["0|Does the image show what the prompt asks for here: 一只 (属性-数量)?|[]"],
        ),
        (
            "test_prompts_en_long.csv",
            f"index,prompt_en,sub_dims_en\n0,a long cat,{points(('Style', 'ink'))}\n",
            "unigenbench-long",
            ["0|Does the image show what the prompt asks for here: ink (Style)?|[]"],
        ),
        (
            "unified.json",
            json.dumps(
                [{"id": "x0", "prompt": "a cat", "sub_dims": {"Testpoints": ["Style"], "Testpoint Description": ["ink"]}}]
            ),
            "unigenbench",
            ["x0|Does the image show what the prompt asks for here: ink (Style)?|[]"],
        ),
        (
            "dpg_bench.csv",
            "item_id,text,keywords,proposition_id,dependency,category_broad,category_detailed,tuple,question_natural_language\n"
            "p4,a tin cat on a mat,cat,1,0,entity,whole,entity - whole (cat),Is there a cat?\n"
            "p4,a tin cat on a mat,mat,2.0,0,entity,whole,entity - whole (mat),Is there a mat?\n"
            'p4,a tin cat on a mat,"cat, mat",3,"1, 2",relation,spatial,relation - spatial (cat),Is the cat on the mat?\n',
            "dpg-bench",
            ["p4|Is there a cat?|[]", "p4|Is there a mat?|[]", 'p4|Is the cat on the mat?|["is-there-a-cat","is-there-a-mat"]'],
        ),
        (
            # rows of one item apart, another order of the columns, a semicolon as the delimiter
            "dsg.csv",
            "question_natural_language;dependency;proposition_id;item_id;text\n"
            "Hat?;0;1;a_1;a hat\nCup?;0;1;a_2;a cup\nRed?;1;2;a_1;a hat\n",
            "dsg",
            ["a_1|Hat?|[]", 'a_1|Red?|["hat"]', "a_2|Cup?|[]"],
        ),
        (
            "tifa.csv",
            'id,caption,question,choices,answer,element_type\nk,a red cup,what color?,"[""red"", ""blue""]",red,color\n'
            "k,a red cup,cup?,yes|no,yes,object\n",
            "tifa",
            ["k|what color?|[]", "k|cup?|[]"],
        ),
    ],
)
def test_published_question_lists_are_read(
    project: Path, tmp_path: Path, name: str, content: str, suite: str, expected: list[str]
) -> None:
    (tmp_path / name).write_text(content)
    done(project, "import", "questions", tmp_path / name)
    assert query(project, QUESTIONS) == [f"{suite}/{line}" for line in expected]


@pytest.mark.parametrize(
    ("name", "content", "why", "n"),
    [
        (
            "u.csv",
            f"index,prompt_en,sub_dims_en\n0,a cat,{points(('Style', 'ink'))}\n"
            f"1,a dog,{points(('Style', 'oil'), ('Color', ''))}\n",
            ":3: 1: 'Testpoint Description' is '', a text expected",
            2,
        ),
        ("u.csv", f"index,prompt_en,sub_dims_en\n0,a cat,{points(('Style', 'ink'))}\n1,a dog,{{\n", ":3: 'sub_dims' is '{'", 1),
        (
            "t.jsonl",
            json.dumps(
                {"type": "x", "short_description": "a", "yn_question_list": ["A?", "B?"], "yn_answer_list": ["yes", "?"]}
            ),
            ":1: 00000: 'yn_answer_list' has '?', yes or no expected",
            1,
        ),
        (
            "g.jsonl",
            json.dumps({"prompt": "a", "atom_count": 2, "vqa_list": [["A?", "Yes"], ["B?"]], "skills": ["object", "object"]}),
            ":1: 00000: 'vqa_list' holds ['B?']",
            1,
        ),
        (
            "dsg.csv",
            "item_id,text,proposition_id,dependency,question_natural_language\na,a hat,1,0,Hat?\na,a cup,2,0,Cup?\n",
            ":3: a: 'text' is 'a cup', and 'a hat' in the rows before",
            1,
        ),
        (
            "dsg.csv",
            "item_id,text,proposition_id,dependency,question_natural_language\na,a hat,1,2,Hat?\na,a hat,2,1,Red?\n",
            "the dependency of 'Hat?' on 'Red?', which leads back to it",
            2,
        ),
        (
            "q.json",
            json.dumps(
                [
                    {
                        "id": "a",
                        "caption": "c",
                        "question": text,
                        "choices": choices,
                        "answer": "yes",
                        "element": "e",
                        "element_type": "other",
                    }
                    for text, choices in (("A?", ["yes", "no"]), ("B?", ["yes"]))
                ]
            ),
            "'choices' is ['yes'], a list of 2 to 8 texts expected",
            1,
        ),
        (
            "w.json",
            json.dumps(
                [{"prompt_id": 1, "Prompt": "p", "Explanation": "e"}, {"prompt_id": 2, "Prompt": "p", "Explanation": ""}]
            ),
            "'Explanation' is '', a text expected",
            3,
        ),
    ],
)
def test_a_flawed_entry_of_a_list_is_named_and_the_rest_is_imported(
    project: Path, tmp_path: Path, name: str, content: str, why: str, n: int
) -> None:
    (tmp_path / name).write_text(content)
    ran = concord(project, "import", "questions", tmp_path / name)
    assert ran.status == 1
    assert "left out: " in ran.err
    assert why in ran.err
    assert query(project, "select count(*) from questions") == [n]


def oneig(folder: Path, name: str, questions: dict[str, str], dependency: dict[str, list[int]], prompt_id: str = "000") -> Path:
    path = folder / name
    path.write_text(json.dumps({prompt_id: {"question": json.dumps(questions), "dependency": json.dumps(dependency)}}))
    return path


def prompts_file(folder: Path, *texts: str, name: str = "p.jsonl", suite: str = "oneig") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps({"prompt_id": f"{suite}/{n:03d}", "prompt": text}) for n, text in enumerate(texts)))
    return path


def test_a_repeated_question_counts_once_and_none_depends_on_itself(project: Path, tmp_path: Path) -> None:
    done(project, "import", "prompts", prompts_file(tmp_path, "a boat at sea"), "--suite", "oneig")
    questions = {"1": "Is there a boat?", "2": "Is there a sea?", "3": "Is there a sea?", "4": "Is the sea rough?"}
    path = oneig(tmp_path, "object.json", questions, {"1": [0], "2": [0], "3": [1], "4": [3, 4]})
    ran = concord(project, "import", "questions", path)
    assert ran.status == 0
    assert "'Is there a sea?' is asked twice and counts once" in ran.err
    assert "'Is the sea rough?' depends on itself, which is dropped" in ran.err
    # what depended on the repeated question depends on the one that counts
    assert [line.split("|", 1)[1] for line in query(project, QUESTIONS)] == [
        "Is there a boat?|[]", "Is there a sea?|[]", 'Is the sea rough?|["is-there-a-sea"]',
    ]  # fmt: skip


def test_ids_that_begin_anew_in_each_file_replace_no_prompt(project: Path, tmp_path: Path) -> None:
    for name, text, status in (
        ("a.txt", "a cat\na dog\n", 0),
        ("b.txt", "a bird\na cow\na hen\n", 1),
        ("c.csv", "prompt\nan ox\n", 1),
    ):
        (tmp_path / name).write_text(text)
        ran = concord(project, "import", "prompts", tmp_path / name, "--suite", "s")
        assert ran.status == status
        if status:
            assert "s/00000: its text is 'a cat' already, not '" in ran.err
            assert "--suite s-2" in ran.err
    assert query(project, "select text from prompts order by prompt_id") == ["a cat", "a dog"]
    # the same texts with other spaces and quotes are the same prompts
    (tmp_path / "d.txt").write_text("a  cat \na dog\n")
    done(project, "import", "prompts", tmp_path / "d.txt", "--suite", "s")
    assert query(project, "select text from prompts order by prompt_id") == ["a cat", "a dog"]


def test_lists_whose_ids_begin_anew_replace_no_questions(project: Path, tmp_path: Path) -> None:
    """OneIG's and TIIF's lists name prompts by id or line alone; UniGenBench's four lists each begin with 0."""
    done(project, "import", "prompts", prompts_file(tmp_path, "a boat at sea"), "--suite", "oneig")
    done(project, "import", "questions", oneig(tmp_path, "anime.json", {"1": "Is there a boat?"}, {"1": [0]}))
    ran = concord(project, "import", "questions", oneig(tmp_path, "human.json", {"1": "Is there a chair?"}, {"1": [0]}))
    assert ran.status == 1
    assert "oneig/000 is asked 'Is there a boat?' already, and none of what human.json asks ('Is there a chair?')" in ran.err
    tiif = {"type": "x", "yn_question_list": ["A cup?"], "yn_answer_list": ["yes"]}
    (tmp_path / "tiif.txt").write_text("a cup\n")
    done(project, "import", "prompts", tmp_path / "tiif.txt", "--suite", "tiif")
    (tmp_path / "color.jsonl").write_text(json.dumps(tiif))
    done(project, "import", "questions", tmp_path / "color.jsonl")
    (tmp_path / "shape.jsonl").write_text(json.dumps(tiif | {"yn_question_list": ["A hat?"]}))
    assert "tiif/00000 is asked 'A cup?' already" in concord(project, "import", "questions", tmp_path / "shape.jsonl").err
    for name, text in (("test_prompts_en.csv", "a cat"), ("test_prompts_en_long.csv", "a very long cat")):
        (tmp_path / name).write_text(f"index,prompt_en,sub_dims_en\n0,{text},{points(('Style', text))}\n")
        done(project, "import", "questions", tmp_path / name)
    ran = concord(project, "import", "questions", tmp_path / "test_prompts_en_long.csv", "--suite", "unigenbench")
    assert "unigenbench/0: its text is 'a cat' already, not 'a very long cat'" in ran.err
    assert len(query(project, QUESTIONS)) == 4
    # an edit of what is asked is no other file
    (tmp_path / "color.jsonl").write_text(
        json.dumps(tiif | {"yn_question_list": ["A cup?", "Red?"], "yn_answer_list": ["yes", "yes"]})
    )
    assert "1 prompts had others before" in done(project, "import", "questions", tmp_path / "color.jsonl")


def test_oneigs_lists_find_the_prompts_of_its_own_file(project: Path, tmp_path: Path) -> None:
    path = tmp_path / "OneIG-Bench.json"
    path.write_text(json.dumps([{"category": c, "id": "000", "prompt_en": c} for c in ("Anime_Stylization", "Portrait")]))
    done(project, "import", "prompts", path, "--suite", "oneig")
    done(project, "import", "questions", oneig(tmp_path, "anime.json", {"1": "A boat?"}, {"1": [0]}))
    done(project, "import", "questions", oneig(tmp_path, "human.json", {"1": "A chair?"}, {"1": [0]}))
    assert query(project, QUESTIONS) == ["oneig/Anime_Stylization-000|A boat?|[]", "oneig/Portrait-000|A chair?|[]"]


def test_another_table_names_the_forms_that_are_read(project: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    ran = concord(project, "import", "questions", tmp_path / "x.csv")
    assert ran.status == 1
    assert all(name in ran.err for name in ("UniGenBench", "DSG", "DPG-Bench", "TIFA", "'a', 'b'"))
