restore();
choose();
ownChoice = chosen.slice();
changed();
fitColumns();
