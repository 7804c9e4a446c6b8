// Makes src/statistics/dots.ts and assets/land.svg: the dots of the map of countries, from the shapes of Natural Earth (naturalearthdata.com), which
// are in the public domain.
//
//   npm pack world-atlas@2.0.2        its countries-50m.json has the shapes
//   npm pack i18n-iso-countries       its codes.json has the codes of countries
//   node apps/pages/scripts/dots.mjs countries-50m.json codes.json
import { readFileSync, writeFileSync } from 'node:fs';

const [shapesFile, codesFile] = process.argv.slice(2);
const { objects, arcs, transform } = JSON.parse(readFileSync(shapesFile, 'utf8'));
const codes = new Map(JSON.parse(readFileSync(codesFile, 'utf8')).map(([code, , number]) => [number, code]));
// Natural Earth draws some places by themselves that lookups of addresses count among a country, or under a code of their own.
const NAMED = { Kosovo: 'XK', 'N. Cyprus': 'CY', Somaliland: 'SO' };

/** A dot every so many units of the map, in rows: nearly a hexagonal grid. */
const [DX, DY] = [8, 7];
const COLUMNS = 120;
/** Without the ice at both ends. */
const [NORTH, SOUTH] = [79, -56];
/** A country between dots gets one of a neighbour that has more than this. */
const MANY = 3;

/** The points of arcs, as longitudes and latitudes. */
const decoded = arcs.map((arc) => {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    [x, y] = [x + dx, y + dy];
    return [x * transform.scale[0] + transform.translate[0], y * transform.scale[1] + transform.translate[1]];
  });
});
const ringOf = (list) =>
  list.flatMap((index) => (index < 0 ? [...decoded[~index]].reverse() : decoded[index]).slice(0, -1));
const polygonsOf = ({ type, arcs }) => (type === 'Polygon' ? [arcs] : (arcs ?? [])).map((rings) => rings.map(ringOf));

const countries = objects.countries.geometries
  .map((shape) => ({ code: codes.get(shape.id) ?? NAMED[shape.properties.name], polygons: polygonsOf(shape) }))
  .map((country) => ({ ...country, box: boxOf(country.polygons.flat(2)) }));

function boxOf(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [min, max] = [(list) => list.reduce((a, b) => Math.min(a, b)), (list) => list.reduce((a, b) => Math.max(a, b))];
  return [min(xs), min(ys), max(xs), max(ys)];
}

// The Equal Earth projection (Šavrič, Patterson, Jenny 2018): equal areas have as many dots.
const [A1, A2, A3, A4, M] = [1.340264, -0.081106, 0.000893, 0.003796, Math.sqrt(3) / 2];
const slope = (t) => A1 + 3 * A2 * t ** 2 + t ** 6 * (7 * A3 + 9 * A4 * t ** 2);
const height = (t) => t * (A1 + A2 * t ** 2 + t ** 6 * (A3 + A4 * t ** 2));
const RAD = Math.PI / 180;
const thetaOf = (latitude) => Math.asin(M * Math.sin(latitude * RAD));
const HALF = Math.PI / (M * slope(0));
const UNIT = (2 * HALF) / (COLUMNS * DX);

function project([longitude, latitude]) {
  const theta = thetaOf(latitude);
  const x = (longitude * RAD * Math.cos(theta)) / (M * slope(theta));
  return [(x + HALF) / UNIT, (height(thetaOf(NORTH)) - height(theta)) / UNIT];
}

function unproject([x, y]) {
  const at = height(thetaOf(NORTH)) - y * UNIT;
  let theta = at;
  for (let step = 0; step < 12; step += 1) theta -= (height(theta) - at) / slope(theta);
  const longitude = ((x * UNIT - HALF) * M * slope(theta)) / Math.cos(theta) / RAD;
  return [longitude, Math.asin(Math.sin(theta) / M) / RAD];
}

const isWithin = ([x, y], ring) =>
  ring.reduce((is, [x1, y1], index) => {
    const [x2, y2] = ring[(index + 1) % ring.length];
    return y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1 ? !is : is;
  }, false);
const isIn = (point, { polygons, box: [west, south, east, north] }) =>
  point[0] >= west &&
  point[0] <= east &&
  point[1] >= south &&
  point[1] <= north &&
  polygons.some((rings) => rings.reduce((is, ring) => is !== isWithin(point, ring), false));

const rows = Math.floor(project([0, SOUTH])[1] / DY);
const keyOf = (row, column) => `${row} ${column}`;
const xOf = (row, column) => column * DX + (row % 2) * (DX / 2);
/** The country of each dot. */
const dots = new Map();
for (let row = 0; row <= rows; row += 1) {
  for (let column = 0; column < COLUMNS; column += 1) {
    const point = unproject([xOf(row, column), row * DY]);
    if (Math.abs(point[0]) > 180) continue;
    const country = countries.find((each) => isIn(point, each));
    if (country !== undefined && country.code !== 'AQ') dots.set(keyOf(row, column), country.code);
  }
}
const countOf = (code) => [...dots.values()].filter((each) => each === code).length;
for (const { code, polygons } of countries) {
  if (code === undefined || code === 'AQ' || countOf(code) > 0) continue;
  const largest = polygons.map(([ring]) => ring).reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a));
  const [west, south, east, north] = boxOf(largest);
  const [x, y] = project([(west + east) / 2, (south + north) / 2]);
  const row = Math.round(y / DY);
  const column = Math.round((x - (row % 2) * (DX / 2)) / DX);
  const owner = dots.get(keyOf(row, column));
  if (row < 0 || row > rows || (owner !== undefined && countOf(owner) <= MANY)) continue;
  dots.set(keyOf(row, column), code);
}

function sizeOf(ring) {
  const [west, south, east, north] = boxOf(ring);
  return (east - west) * (north - south);
}

/** Lines along the dots of a country: dashed ones draw a dot at each step. */
function runsOf(isOf) {
  let path = '';
  for (let row = 0; row <= rows; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      if (!isOf(dots.get(keyOf(row, column)))) continue;
      const first = column;
      while (column + 1 < COLUMNS && isOf(dots.get(keyOf(row, column + 1)))) column += 1;
      path += `M${xOf(row, first)} ${row * DY}h${(column - first) * DX}`;
    }
  }
  return path;
}

const found = [...new Set(dots.values())].filter((code) => code !== undefined).sort();
const land = [...dots.keys()].map((key) => key.split(' ').map(Number));
const [xs, ys] = [land.map(([row, column]) => xOf(row, column)), land.map(([row]) => row * DY)];
const [left, top] = [Math.min(...xs) - DX / 2, Math.min(...ys) - DX / 2];
const box = [left, top, Math.max(...xs) + DX / 2 - left, Math.max(...ys) + DX / 2 - top];
const entries = found.map((code) => `  ${code}: '${runsOf((each) => each === code)}',`);
writeFileSync(
  new URL('../src/statistics/dots.ts', import.meta.url),
  `// Made by apps/pages/scripts/dots.mjs from the shapes of Natural Earth, which are in the public domain.

/** The left and upper edge of the map, its width and its height. */
export const MAP_BOX = [${box.join(', ')}] as const;

/** Lines along the dots of each country, by its code; assets/land.svg has those of all. */
export const DOTS: Readonly<Record<string, string>> = {
${entries.join('\n')}
};
`,
);
// Its grey is seen on light and on dark.
const look =
  'fill="none" stroke="#808080" stroke-opacity=".3" stroke-width="6" stroke-linecap="round" stroke-dasharray="0 8"';
writeFileSync(
  new URL('../assets/land.svg', import.meta.url),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}"><title>Land</title><path ${look} d="${runsOf((code) => code !== undefined)}"/></svg>\n`,
);
console.log(`${dots.size} dots of ${found.length} countries`);
