"""The recipe of the model that answers questions, and the shipped weights on scenes well within its ability."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from PIL import Image  # noqa: E402
from transformers import AutoProcessor, BlipForQuestionAnswering  # noqa: E402

from data.playground.drawing import ANY_LOOK  # noqa: E402
from data.playground.render import render  # noqa: E402
from data.playground.scene import (  # noqa: E402
    Background,
    Placed,
    Scene,
)
from data.prompts.coco import GENEVAL  # noqa: E402
from data.prompts.geneval_suite import COLORS  # noqa: E402
from data.prompts.questions import questions_from_spec  # noqa: E402
from data.spec import ObjectSpec, RelationSpec, Spec  # noqa: E402
from scorers.models.vqa import (  # noqa: E402
    Vqa,
    VqaQuestion,
    open_vqa,
)
from tools.playground.examples import (  # noqa: E402
    NAMES,
    PictureWithQuestions,
    answered_questions,
)
from tools.playground.measure import HeldOutAnswer, answer_figures, held_out_picture  # noqa: E402
from tools.playground.vqa import (  # noqa: E402
    CHOICE_WORDS,
    GRID,
    LENGTH,
    PAD,
    SIDE,
    UNK,
    WORDS,
    Heads,
    batch,
    build_model,
    build_tokenizer,
    choice_scores,
    draw_picture,
    encoded,
    fitted,
    kinds,
    losses,
    named,
    normalised,
    patches,
    save,
    weights,
)

FOLDER = Path(__file__).resolve().parents[3] / "assets" / "playground" / "vqa"
_GROUND = Background("plain", 0.6, 0.08, 0.8, 0)


def _scene(*placed: tuple[str, str, float, float]) -> Scene:
    return Scene(tuple(Placed(kind, color, x, y, 0.15) for kind, color, x, y in placed), _GROUND)


def test_every_question_of_every_coco_name_is_known_word_for_word_and_fits() -> None:
    tokenizer = build_tokenizer()
    for k, name in enumerate(GENEVAL):
        other = GENEVAL[k - 1]
        things = tuple(ObjectSpec(one, one, 1 + k % 9, True, COLORS[k % 10]) for one in (name, other))
        for question in questions_from_spec(Spec(things, (RelationSpec(0, 1, "left of", ""),))):
            ids = tokenizer(question.text).input_ids
            assert UNK not in ids
            assert len(ids) <= WORDS <= LENGTH
            choices = tokenizer(list(question.choices), add_special_tokens=False).input_ids
            assert all(UNK not in ids and 1 <= len(ids) <= CHOICE_WORDS for ids in choices)
            assert [tokenizer.decode(ids) for ids in choices] == list(question.choices)


def test_patches_tell_what_covers_them_and_where_its_centre_is() -> None:
    scene = _scene(("sports ball", "red", 0.27, 0.70))
    picture = render(scene)
    result = patches(PictureWithQuestions(picture.image, picture.masks, scene, ()))
    row, column = int(0.70 * GRID), int(0.27 * GRID)
    assert tuple(result[row, column, :3]) == (1 + NAMES.index("sports ball"), 1 + COLORS.index("red"), 1)
    assert result[..., 2].sum() == 1
    assert tuple(result[0, 7]) == (0, 0, 0, 0, 0, 0)
    left = result[row, column - 1]
    assert left[0] > 0
    assert tuple(left[3:]) == pytest.approx((-0.23, 0.20, 1))


def test_words_that_name_a_kind_are_found_once_each_in_one_and_in_several() -> None:
    tokenizer = build_tokenizer()
    ball, bus = NAMES.index("sports ball"), NAMES.index("bus")
    for text, expected in (
        ("are there two sports balls?", [ball]),
        ("how many buses are there?", [bus]),
        ("where is the bus, seen from the sports ball?", [bus, ball]),
        ("is there a baseball glove?", []),
    ):
        names = named(np.array([tokenizer(text).input_ids]), tokenizer)
        assert names[names >= 0].tolist() == expected
    scene = _scene(("bus", "red", 0.2, 0.4), ("bus", "blue", 0.6, 0.4))
    here = kinds(PictureWithQuestions(np.zeros((1, 1, 3), np.uint8), np.zeros((2, 1, 1), bool), scene, ()))
    assert tuple(here[bus]) == pytest.approx((2, -0.1, -0.1), abs=1e-6)
    assert not np.delete(here, bus, axis=0).any()


def test_forms_and_their_answers_are_asked_alike() -> None:
    scene = _scene(("cup", "red", 0.3, 0.5), ("car", "blue", 0.7, 0.5))
    spec = Spec((ObjectSpec("cup", "cup"), ObjectSpec("kite", "kite"), ObjectSpec("bus", "bus")))
    presence = [question for question in answered_questions(spec, scene) if question.is_yes_no]
    assert weights(presence, [True, False, False]).tolist() == [0.5, 0.25, 0.25], "one yes and two no"
    # of three no, one by what is there and two by what is missing
    assert weights(presence[1:] * 2, [True, False, False, False])[:2].tolist() == pytest.approx([1 / 2, 1 / 6])


def test_the_packed_way_gives_transformers_own_numbers_and_learns() -> None:
    tokenizer = build_tokenizer()
    torch.manual_seed(0)
    model = build_model(len(tokenizer)).eval()
    rng = np.random.default_rng(0)
    some = batch([draw_picture(seed, tokenizer) for seed in range(2)], 4, rng)
    assert some.images.shape == (2, 3, SIDE, SIDE)
    with torch.no_grad():
        states = model.vision_model(pixel_values=some.images).last_hidden_state
        scores, _ = choice_scores(model, states, some.questions, some.choices)
        for place in np.ndindex(2, 4):
            words, choices = some.questions[place], some.choices[place]
            read = model.text_encoder(input_ids=words[words != PAD][None], encoder_hidden_states=states[place[0]][None])[0]
            for k, choice in enumerate(choices):
                if choice[0] == PAD:
                    assert scores[place][k] < -1000
                    continue
                ids = torch.tensor([[4, *choice[choice != PAD].tolist(), 3]])
                told = model.text_decoder(input_ids=ids, encoder_hidden_states=read).logits.log_softmax(2)[0, :-1]
                assert float(told.gather(1, ids[0, 1:, None]).sum()) == pytest.approx(float(scores[place][k]), abs=1e-4)
    heads = Heads(model.config.vision_config.hidden_size)
    spoken, choosing, dense, right = losses(model, heads, some)
    (spoken + choosing + dense).backward()
    unused = {"text_decoder.cls.predictions.bias"}
    assert {name for name, part in model.named_parameters() if part.grad is None} <= unused
    assert right.shape == (2, 4)


def test_an_untrained_folder_opens_as_in_production(tmp_path: Path) -> None:
    model = build_model(len(build_tokenizer()))
    save(model, tmp_path)
    scene = _scene(("cup", "red", 0.5, 0.5))
    answers = open_vqa(str(tmp_path), "cpu", {"answering": "choices"}).answer(
        [Image.fromarray(render(scene).image)], [[VqaQuestion("is there a cup?", ("yes", "no"))]]
    )
    assert sum(answers[0][0].probabilities or ()) == pytest.approx(1)


def test_figures_by_hand() -> None:
    entry = question_of_kind("cup", "yes")
    results = answer_figures(
        [
            HeldOutAnswer(entry, True, "yes"),
            HeldOutAnswer(entry, True, "no"),
            HeldOutAnswer(question_of_kind("cup", "no"), True, "no"),
        ]
    )
    assert results["object, yes/no"] == {"right": round(2 / 3, 4), "n": 3, "commonest": round(2 / 3, 4), "chance": 0.5}
    assert set(results) == {"object, yes/no", "all, yes/no", "all"}


def question_of_kind(kind: str, answer: str):  # type: ignore[no-untyped-def]
    spec = Spec((ObjectSpec(kind, kind),))
    return next(
        q for q in answered_questions(spec, _scene((kind, "red", 0.5, 0.5)) if answer == "yes" else _scene()) if q.is_yes_no
    )


@pytest.fixture(scope="module")
def shipped():  # type: ignore[no-untyped-def]
    if not (FOLDER / "model.safetensors").is_file():
        pytest.skip("the playground's VQA model is not there")
    return open_vqa("assets/playground/vqa", "cpu", {"answering": "choices"})


@pytest.mark.parametrize(
    ("scene", "truths"),
    [
        (
            _scene(("cup", "red", 0.5, 0.5)),
            {
                "is there a cup?": "yes",
                "is there a car?": "no",
                "is there a giraffe?": "no",
                "is the cup red?": "yes",
                "is the cup blue?": "no",
                "what color is the cup?": "red",
            },
        ),
        (
            _scene(("umbrella", "red", 0.2, 0.5), ("car", "blue", 0.8, 0.5)),
            {
                "is the umbrella to the left of the car?": "yes",
                "is the umbrella to the right of the car?": "no",
                "is the car to the right of the umbrella?": "yes",
                "where is the car, seen from the umbrella?": "right of",
                "what color is the car?": "blue",
                "is there exactly one car?": "yes",
            },
        ),
        (
            _scene(("clock", "yellow", 0.5, 0.2), ("chair", "blue", 0.5, 0.8)),
            {
                "where is the clock, seen from the chair?": "above",
                "is the clock below the chair?": "no",
                "which of these is in the image?": "clock",
            },
        ),
        (Scene((), _GROUND), {"is there a bottle?": "no", "is there a bus?": "no"}),
    ],
)
def test_the_shipped_model_answers_by_the_picture(shipped: Vqa, scene: Scene, truths: dict[str, str]) -> None:
    choices = {
        "what": ("red", "blue", "green", "white"),
        "wher": ("left of", "right of", "above", "below"),
        "whic": ("vase", "clock", "book", "scissors"),
    }
    queries = [VqaQuestion(text, choices.get(text[:4], ("yes", "no"))) for text in truths]
    answers = shipped.answer([Image.fromarray(render(scene).image)], [queries])[0]
    assert {text: answer.chosen for text, answer in zip(truths, answers, strict=True)} == truths


def test_the_shipped_model_is_small_half_precision_and_says_what_the_training_measured(shipped: Vqa) -> None:
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 9_000_000
    model = BlipForQuestionAnswering.from_pretrained(FOLDER, dtype="auto")
    assert model.dtype == torch.float16
    tokenizer = build_tokenizer()
    assert AutoProcessor.from_pretrained(FOLDER).tokenizer.get_vocab() == tokenizer.get_vocab()
    picture = held_out_picture(ANY_LOOK, 0)
    texts, choices, _ = encoded(list(picture.questions), tokenizer)
    pixels = normalised(torch.tensor(fitted(picture.image)).permute(2, 0, 1)[None].float() / 255)
    with torch.no_grad():
        model = model.float().eval()
        states = model.vision_model(pixel_values=pixels).last_hidden_state
        scores, _ = choice_scores(model, states, torch.from_numpy(texts)[None], torch.from_numpy(choices)[None])
    queries = [VqaQuestion(question.text, question.choices) for question in picture.questions]
    answers = shipped.answer([picture.image], [queries])[0]
    for question, answer, weights_ in zip(picture.questions, answers, scores[0].softmax(dim=1), strict=True):
        # the processor's own shrinking differs by a shade
        assert answer.probabilities == pytest.approx(tuple(weights_[: len(question.choices)].tolist()), abs=0.05)
