"""How busy the machine is with other work, from /proc/stat.

A share is of all CPUs: 0 is idle, 1 is all of them busy.
"""
import contextlib
import os
import pathlib
import resource
import time

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def read_ticks(text=None):
    """(busy, all) ticks since the machine started, over all CPUs; time that a hypervisor took counts as busy."""
    text = pathlib.Path("/proc/stat").read_text() if text is None else text
    user, nice, system, idle, iowait, irq, softirq, steal = (int(field) for field in text.split("\n")[0].split()[1:9])
    busy = user + nice + system + irq + softirq + steal
    return busy, busy + idle + iowait


def busy_share(seconds, ticks=read_ticks, sleep=time.sleep):
    """The share that is busy while we wait."""
    busy, total = ticks()
    sleep(seconds)
    busy_after, total_after = ticks()
    return (busy_after - busy) / max(1, total_after - total)


def own_seconds():
    """CPU time of this process and of the children it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@contextlib.contextmanager
def watch_others(ticks=read_ticks, own=own_seconds):
    """Yields a dict that has, after the block, `others`: the share that was busy with what is not ours."""
    watched = {}
    (busy, total), ours = ticks(), own()
    yield watched
    (busy_after, total_after), ours_after = ticks(), own()
    others = busy_after - busy - (ours_after - ours) * TICKS_PER_S
    watched["others"] = max(0.0, others / max(1, total_after - total))
