"""Draw the map of the modules in layers from the import graph of src/inffs."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from html import escape
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src" / "inffs"
FORMULA = {"validation", "measures", "relations", "graph", "paths", "scores", "cuts", "base"}
_LEFT_OUT = {"", "__main__"}
_WIDTH, _HEIGHT, _GAP, _ROW = 132, 50, 10, 84
_ACROSS = 6  # boxes side by side


def component_of(module: str) -> str:
    """The component of a module: its first name below the package."""
    return ".".join(module.split(".")[1:2])


def imports(source: Path = SOURCE) -> dict[str, set[str]]:
    """For every component the components it imports from, imports inside functions included."""
    found: dict[str, set[str]] = {}
    modules = {_name(path, source): path for path in sorted(source.rglob("*.py"))}
    for module, path in modules.items():
        here = found.setdefault(component_of(module), set())
        for target in _targets(ast.parse(path.read_text("utf-8")), modules):
            here.add(component_of(target))
    components = set(found) - _LEFT_OUT
    return {component: (found[component] & components) - {component} for component in components}


def _name(path: Path, source: Path) -> str:
    parts = path.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _targets(tree: ast.AST, modules: dict[str, Path]) -> list[str]:
    """The modules of ours that a file imports."""
    out = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            out += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            out += [name if name in modules else node.module for name in full]
    return [name for name in out if name.split(".")[0] == "inffs"]


def layers(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the components by layer, lowest first; raise ``graphlib.CycleError`` for cycles."""
    height: dict[str, int] = {}
    for component in TopologicalSorter(graph).static_order():
        height[component] = 1 + max(
            (height[below] for below in graph.get(component, ())), default=-1
        )
    rows: list[list[str]] = [[] for _ in range(1 + max(height.values()))]
    for component, level in sorted(height.items()):
        rows[level].append(component)
    return rows


def reduced(graph: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The imports that no chain of others implies: what the picture draws."""
    below: dict[str, set[str]] = {}
    for component in TopologicalSorter(graph).static_order():
        below[component] = set().union(*(below[k] | {k} for k in graph.get(component, ())), set())
    return [
        (component, target)
        for component, targets in sorted(graph.items())
        for target in sorted(targets)
        if not any(target in below[other] for other in targets)
    ]


def picture(graph: dict[str, set[str]]) -> str:
    """The components as a drawing, the command on top and the engine at the bottom."""
    rows = [
        row[i : i + _ACROSS] for row in reversed(layers(graph)) for i in range(0, len(row), _ACROSS)
    ]
    total = _ACROSS * (_WIDTH + _GAP)
    place = {
        component: (_left(column, len(row), total), 10 + _ROW * line)
        for line, row in enumerate(rows)
        for column, component in enumerate(row)
    }
    lines = [_edge(place[upper], place[lower]) for upper, lower in reduced(graph)]
    boxes = [_box(component, *where) for component, where in place.items()]
    label = "Modules of the package in layers; every module imports only modules below it"
    head = f'<svg viewBox="0 0 {total} {20 + _ROW * len(rows)}" role="img" aria-label="{label}">'
    return "\n".join(['<div class="inffs-drawing">', head, *lines, *boxes, "</svg></div>", ""])


def _left(column: int, count: int, total: int) -> float:
    return total / 2 + (column - count / 2) * (_WIDTH + _GAP) + _GAP / 2


def _edge(upper: tuple[float, float], lower: tuple[float, float]) -> str:
    (x, y), (to_x, to_y) = upper, lower
    start, end = f"{x + _WIDTH / 2:g} {y + _HEIGHT:g}", f"{to_x + _WIDTH / 2:g} {to_y:g}"
    bend = (_ROW - _HEIGHT) * 0.8
    return (
        f'<path class="edge" opacity="0.5" d="M{start}C{x + _WIDTH / 2:g} {y + _HEIGHT + bend:g} '
        f'{to_x + _WIDTH / 2:g} {to_y - bend:g} {end}"/>'
    )


def _box(component: str, x: float, y: float) -> str:
    kind = "main" if component in FORMULA else "box"
    name = component.replace(".", "/") + (
        "/" if (SOURCE / component.replace(".", "/")).is_dir() else ".py"
    )
    return (
        f"<g><title>{escape(summary(component))}</title>"
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="8"/>'
        f'<text x="{x + _WIDTH / 2:g}" y="{y + 30:g}" font-size="14" text-anchor="middle">'
        f"{escape(name)}</text></g>"
    )


def summary(component: str) -> str:
    """The first sentence of the component's docstring."""
    path = SOURCE / component.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return text.split("\n\n")[0].replace("\n", " ")


def table(graph: dict[str, set[str]]) -> str:
    """The components from top to bottom with their summaries, as Markdown."""
    lines = ["| module | what it contains |", "|---|---|"]
    for row in reversed(layers(graph)):
        lines += [
            f"| `{component.replace('.', '/')}` | {summary(component)} |" for component in row
        ]
    return "\n".join([*lines, ""])


def write(folder: Path) -> None:
    """The drawing and the table for the contributors' page."""
    graph = imports()
    folder.mkdir(exist_ok=True)
    (folder / "modules.svg.html").write_text(picture(graph), encoding="utf-8")
    (folder / "modules.md").write_text(table(graph), encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", lambda app: write(Path(app.srcdir) / "generated"))
    return {"parallel_read_safe": True}
