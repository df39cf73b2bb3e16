const by = id => document.getElementById(id);
const make = (name, text, className) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const announce = text => { by("live").textContent = text; };
