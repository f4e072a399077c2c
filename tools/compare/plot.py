"""A comparison as bars, in an SVG that reads on white and on black."""
import summary
import tandem

TEXT, OURS, OTHERS = "#808080", "#2f81f7", "#9a9a9a"
PANELS = ((summary.DECODE, "decode after {} tokens, tokens/s"), (summary.PREFILL, "prefill of {} tokens, tokens/s"))


def speed(row, measure, length):
    """Tokens/s, so that in every panel the longer bar is the better one."""
    median = summary.spread(row, measure, length).median
    return length / median * 1e3 if measure == summary.PREFILL else median


def bars(rows, measure, length):
    """(precision, name, speed), by precision and, within one, the fastest first."""
    order = list(dict.fromkeys(row["precision"] for row in rows))
    found = [(row["precision"], row["name"], speed(row, measure, length)) for row in rows]
    return sorted(found, key=lambda bar: (order.index(bar[0]), -bar[2]))


def draw_panel(axes, title, values):
    """A line for every bar, from the top; between precisions one stays free."""
    line, lines = 0, []
    for i, (precision, name, value) in enumerate(values):
        line += 2 if i and values[i - 1][0] != precision else 1
        lines.append(line)
        axes.barh(line, value, color=OURS if name == tandem.NAME else OTHERS, height=0.8)
        axes.text(value, line, f" {value:.0f}", va="center", color=TEXT, fontsize=8)
    axes.set_yticks(lines, [f"{name}, {precision}" for precision, name, _ in values], fontsize=8)
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.margins(x=0.12)
    axes.set_title(title, color=TEXT, fontsize=10, loc="left")
    axes.tick_params(colors=TEXT, length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def draw(results, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "tandem"
    rows, lengths = summary.measured(results["rows"]), results["prompt_lengths"]
    size = (5.5 * len(lengths), 2 * (1 + 0.2 * (len(rows) + 3)))
    figure, grid = plt.subplots(len(PANELS), len(lengths), figsize=size, squeeze=False)
    for (measure, title), panels in zip(PANELS, grid):
        for length, axes in zip(lengths, panels):
            draw_panel(axes, title.format(length), bars(rows, measure, length))
    figure.tight_layout()
    figure.savefig(path, transparent=True, metadata={"Date": None})
