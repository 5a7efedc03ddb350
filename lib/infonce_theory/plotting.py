"""The one figure style of the book. Mathematics never imports this module."""

import matplotlib as mpl
from cycler import cycler

#: Okabe and Ito's palette without yellow: distinct to colour-blind readers and in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "x")


def use_book_style() -> None:
    """Set the style of all later figures and make them byte-stable vector graphics.

    Lines differ by colour and by dash, so that the figures can be read in grey.
    """
    mpl.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#d9d9d9",
            "grid.linewidth": 0.6,
            "lines.linewidth": 1.8,
            "lines.markersize": 5,
            "legend.frameon": False,
            "mathtext.fontset": "cm",
            "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=LINE_STYLES),
            "savefig.facecolor": "white",
            "svg.hashsalt": "infonce-theory",
        }
    )
    try:
        from matplotlib_inline.backend_inline import set_matplotlib_formats
    except ImportError:  # outside Jupyter there is no inline backend to set
        return
    set_matplotlib_formats("svg", metadata={"Date": None})
