"""The graph of features: profiles of columns, tiles of edges, operators that are never stored."""

from inffs.graph.profiles import unit_profiles as unit_profiles
