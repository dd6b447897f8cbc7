"""``plug-ins``."""

from __future__ import annotations

from retrieval.cli.console import print_note, print_result
from retrieval.kg.analysis.doctor import check_plugins, format_findings

BROKEN = 1


def list_all() -> int:
    """List the plug-ins of this environment; 1 where one cannot be used."""
    findings = list(check_plugins())
    for line in format_findings(findings):
        print_result(line)
    if not findings:
        print_note("No installed package has a plug-in.")
    return BROKEN if any(finding.state != "ok" for finding in findings) else 0
