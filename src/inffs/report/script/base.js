const unpack = text => {
  const bytes = Uint8Array.from(atob(text), sign => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
};
const held = document.getElementById("data");
const data = held.type === "application/gzip" ? await unpack(held.textContent) : JSON.parse(held.textContent);
const size = data.names.length;
const number = value => value === null ? "" : String(Number(Number(value).toPrecision(3)));
const pText = value => value === null ? "" : value >= 0.001 || value === 0 ? String(Number(value.toPrecision(2))) : value.toExponential(1);
const grouped = value => value.toLocaleString("en");
const percent = value => `${(100 * value).toFixed(1)} %`;
const several = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
const named = (places, most) => {
  const shown = places.slice(0, most).map(i => data.names[i]).join(", ");
  return places.length > most ? `${shown} and ${grouped(places.length - most)} more` : shown;
};
