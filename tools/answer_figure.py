"""The two pictures of the front page, drawn from values of the library.

They are SVG to stand inside the page, so that its style sheet colours them in light and dark mode.
"""

import io
import re

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from infonce_theory import rates, von_mises_fisher
from infonce_theory.exact_risk import exact_excess_by_anchor
from infonce_theory.plotting import use_book_style
from infonce_theory.search_kernel import search_density
from infonce_theory.sphere_density import score_density

DIMENSION, CONCENTRATION, TEMPERATURE = 16, 10.0, 0.15
NEGATIVES = np.unique(np.geomspace(1, 10_000, 60).astype(int))
#: Colours of the drawing and the variables of the style sheet that take their place.
COLOURS = {"#000001": "currentColor", "#0072b2": "var(--statement)", "#b84a00": "var(--pairs)", "#5f6773": "var(--aside)"}
INK, SEARCH, PAIRS, OTHERS = COLOURS


def draw_search(axes) -> None:
    """Densities of the score with an anchor: of any point, of the point found, of the positive."""
    scores = np.linspace(-0.8, 1.0, 181)
    curves = [(0.0, OTHERS, ":", "any point"), (1 / TEMPERATURE, SEARCH, "-", "search Q"), (CONCENTRATION, PAIRS, "--", "pairs M")]
    for (level, colour, dash, name), side in zip(curves, ("center", "right", "left")):
        density = score_density(scores, DIMENSION) * np.exp(level * scores - von_mises_fisher.log_partition(level, DIMENSION))
        axes.plot(scores, density, color=colour, linestyle=dash)
        top = np.argmax(density)
        shift = {"center": 0.0, "right": -0.12, "left": 0.08}[side]
        axes.text(scores[top] + shift, density[top] + 0.06, name, color=colour, ha=side)
    axes.set(xlabel="similarity to the anchor", ylabel="density", xlim=(-0.8, 1.15), ylim=(0, 2.8))


def draw_rate(axes) -> None:
    """The exact risk for each number of negatives, its bounds and its limit."""
    scores, law = von_mises_fisher.concentrated_rule(2.0 * CONCENTRATION, DIMENSION)
    positives = law * np.exp(CONCENTRATION * (scores - 1.0))
    density = search_density(scores, law, TEMPERATURE)
    square = von_mises_fisher.chi_square(TEMPERATURE, DIMENSION)
    target = von_mises_fisher.cross_entropy(TEMPERATURE, CONCENTRATION, DIMENSION)
    risk = [target + exact_excess_by_anchor(density, law, positives / positives.sum(), int(k)) for k in NEGATIVES]
    bounds = np.array([rates.excess_bounds(TEMPERATURE, int(k), 1, square) for k in NEGATIVES])
    axes.fill_between(NEGATIVES, *(target + bounds).T, color=SEARCH, alpha=0.15, linewidth=0)
    axes.axhline(target, color=PAIRS, linestyle="--")
    axes.plot(NEGATIVES, risk, color=SEARCH)
    axes.text(1.2, target - 0.12, "cross-entropy", color=PAIRS, va="top")
    axes.text(5, -0.3, "InfoNCE risk", color=SEARCH)
    axes.text(300, target + 1.7, "its bounds", color=SEARCH)
    axes.set_xscale("log", base=10)
    axes.set(xlabel="number of negatives k", ylabel="nats", xlim=(1, NEGATIVES[-1]), ylim=(target - 0.9, target + 2.7))


PICTURES = {
    "search": (draw_search, "Three densities of the similarity to an anchor: any point, centred at 0; a point that the search finds, further right; its positive, a little further right and narrower."),
    "rate": (draw_rate, "The InfoNCE risk against the number of negatives on a logarithmic axis. It falls to a horizontal line, the cross-entropy, inside a band of bounds that narrows to the line."),
}


def picture(name: str) -> str:
    """One picture as an SVG element."""
    draw, words = PICTURES[name]
    with mpl.rc_context():
        use_book_style()
        mpl.rcParams.update({key: INK for key in ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")})
        mpl.rcParams.update({"svg.fonttype": "none", "font.size": 12, "axes.grid": False, "savefig.facecolor": "none", "svg.hashsalt": name})
        figure = Figure(figsize=(4.6, 3.4), facecolor="none")
        draw(figure.add_subplot(facecolor="none"))
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return for_page(file.getvalue(), words)


def for_page(svg: str, words: str) -> str:
    """The drawing without its prologue, its idle names and its fixed colours and fonts."""
    svg = re.sub(r"<!--.*?-->|<(metadata|style)\b.*?</\1>", "", svg[svg.index("<svg") :], flags=re.S)
    used = set(re.findall(r"#([\w-]+)[\")]", svg))
    svg = re.sub(r'\sid="([^"]+)"', lambda match: match[0] if match[1] in used else "", svg)
    svg = re.sub(r'font-family: [^;"]*;? ?', "", svg)
    for drawn, shown in COLOURS.items():
        svg = svg.replace(drawn, shown)
    size = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg)
    head = f'<svg role="img" aria-label="{words}" width="{size[1]}" height="{size[2]}" {size[0]}>'
    return head + re.sub(r"\s*\n\s*", "\n", svg[svg.index(">") + 1 :]).strip()


def for_paper(svg: str) -> str:
    """The drawing of a page as a file of its own, in fixed colours."""
    for drawn, shown in COLOURS.items():
        svg = svg.replace(shown, drawn)
    return svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" font-family="DejaVu Sans"', 1)


def answer_svg() -> str:
    """Both pictures side by side."""
    return "\n".join(map(picture, PICTURES))
