"""The comparison that users get: that of the analyses, which shows itself."""

from __future__ import annotations

from dataclasses import dataclass, fields

from smianalyze.analyses import comparison
from smianalyze.quantities import counted
from smianalyze.rendered import Shown
from smianalyze.report.summary import comparison_summary


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(comparison.Comparison, Shown):
    """Two snapshots side by side; in every column NA is unknown. A notebook shows it as tables.

    Attributes:
        gpus: One row for each GPU of either snapshot: gpu_index, name, change, ``*_before``, ``*_after`` and
            ``*_delta`` of memory, utilization, power and temperature, used_by_job.
        processes: One row for each process of either snapshot: gpu_index, pid, process_name, change,
            ``used_gpu_memory_mib_*``.
        primary: The card that carries more than its peers; None where none stands out.
        before: Number of the first snapshot.
        after: Number of the second one.
        elapsed_s: Seconds from the first to the second, None if a time is unknown.
    """

    @classmethod
    def of(cls, found: comparison.Comparison | None) -> Comparison | None:
        """The same comparison; None stays None."""
        if found is None:
            return None
        return cls(**{field.name: getattr(found, field.name) for field in fields(found)})

    def _repr_markdown_(self) -> str:
        return comparison_summary(self)

    def __repr__(self) -> str:
        primary = f", primary GPU {self.primary.gpu_index}" if self.primary else ""
        cards, listed = counted(len(self.gpus), "card"), counted(len(self.processes), "process row")
        return f"<Comparison: {cards}, {listed}{primary}>"
