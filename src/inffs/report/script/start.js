restore();
choose();
ownChoice = chosen.slice();
changed();
