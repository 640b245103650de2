"""A first study with Concord as a library: from images to a report. Run it as a notebook (cells are marked with %%) or whole:
uv run python docs/first_study.py FOLDER
"""

# %% Where everything goes
import sys
from pathlib import Path

import pandas as pd
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import concord

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "projects/first-study").resolve()
folder.mkdir(parents=True, exist_ok=True)

# %% Images: in your study these are the generator's; here two of each prompt are drawn
prompts = [f"a {color} {shape}" for color in ("red", "blue", "green") for shape in ("circle", "square")]
rows = []
for n, prompt in enumerate(prompts):
    _, color, shape = prompt.split()
    for index in range(2):
        drawn = Image.new("RGB", (128, 128), "white")
        paint = color if index == 0 else "gray"
        draw = ImageDraw.Draw(drawn)
        (draw.ellipse if shape == "circle" else draw.rectangle)((24, 24, 104, 104), fill=paint)
        drawn.save(folder / f"{n}_{index}.png")
        rows.append({"path": f"{n}_{index}.png", "prompt": prompt, "idx": index})
pd.DataFrame(rows).to_csv(folder / "images.csv", index=False)

# %% A project with these images
project = concord.create(folder / "project")
print(project.add_images(folder, generator="drawing", suite="shapes"))

# %% An automatic scorer: the playground's small CLIP; profile="paper" takes the published one
print(project.score("clipscore", profile="playground", suite="shapes"))
scores = project.scores(suite="shapes")
print(scores.groupby("generator")["value"].describe())

# %% People: label in the browser (uv run app.py serve --project ...), or bring ratings that you have
people = pd.DataFrame(
    {"image": row["path"], "person": person, "answer": "yes" if row["idx"] == 0 or (person == "ben" and n % 5 == 0) else "no"}
    for person in ("ann", "ben", "cleo")
    for n, row in enumerate(rows)
)
print(
    project.add_ratings(people, aspect="correct", scale="nominal", suite="shapes", item="image", rater="person", value="answer")
)

# %% Agreement: among people, and of the scorer with people
result = project.agreement(aspect="correct")
columns = ["statistic", "value", "low", "high", "n_items"]
print(result.among_people.query("generator == 'all'")[columns])
print(result.raters.query("generator == 'all'")[["rater", *columns]])

# %% A report that others can check
print(project.report(folder / "report.html", suite="shapes", aspect="correct"))
