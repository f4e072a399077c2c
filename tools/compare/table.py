"""A comparison as Markdown: what was measured, by which settings, and what was not."""
import summary
import tandem


def number(value):
    """Three digits, and no more than the value has before its point."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def cell(rows, row, measure, length):
    """median (least to most), and how many times faster Tandem is in the same precision."""
    values = summary.spread(row, measure, length)
    text = f"{number(values.median)} ({number(values.least)} to {number(values.most)})"
    ours = summary.row_of(rows, tandem.NAME, row["precision"])
    if ours is None or ours is row:
        return text
    return f"{text} **{summary.times_faster(ours, row, measure, length):.2f}x**"


def columns(lengths):
    """(heading, measure, length) of every measured column."""
    return [(f"prefill of {length}, ms", summary.PREFILL, length) for length in lengths] + \
           [(f"decode after {length}, tokens/s", summary.DECODE, length) for length in lengths]


def table(results):
    measures = columns(results["prompt_lengths"])
    headings = ["precision", "program", *(heading for heading, _, _ in measures), "error"]
    lines = [headings, ["---"] * len(headings)]
    for row in summary.measured(results["rows"]):
        cells = [cell(results["rows"], row, measure, length) for _, measure, length in measures]
        lines.append([row["precision"], row["name"], *cells, f"{row['error']:.1e}"])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def machine_line(results):
    machine = results["machine"]
    units = {"read_gb_per_s": "GB/s read", "f32_gflops": "f32 GFLOP/s"}
    limits = [f"{machine[key]:.0f} {unit}" for key, unit in units.items() if key in machine]
    return f"{machine['cpu']}, {results['threads']} threads, " + ", ".join(limits)


def foot(results):
    others = max((run["others"] for row in summary.measured(results["rows"]) for run in row["runs"]), default=0)
    lines = [
        f"Model: {results['model']}. Machine: {machine_line(results)}. {results['date']}.", "",
        f"Medians (least to most) of {results['repeats']} rounds; in a round each program runs once, alone, in a "
        f"process of its own, and each prompt once to warm up and once that counts: prefill until the first of "
        f"{results['new']} new tokens is chosen, then decode of the others, greedily. Bold: how many times faster "
        f"Tandem is in the same precision. Error: of the logits, against Tandem's in f32, over their spread. Other "
        f"work took at most {others:.0%} of the machine during any run.", "", "Versions and settings:", ""]
    lines += [f"- {row['precision']}, {row['name']}: {row['version']}; {row['settings']}"
              for row in summary.measured(results["rows"])]
    missing = [row for row in results["rows"] if "reason" in row]
    if missing:
        lines += ["", "Not measured:", ""]
        lines += [f"- {row['precision']}, {row['name']}: {row['reason']}" for row in missing]
    return "\n".join(lines)


def report(results):
    return f"{table(results)}\n\n{foot(results)}\n"
