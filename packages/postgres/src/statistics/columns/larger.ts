/** A copy of a list that is twice as long. */
export function larger<List extends Uint8Array | Uint32Array | Float64Array>(list: List): List;
export function larger(list: Uint8Array | Uint32Array | Float64Array): Uint8Array | Uint32Array | Float64Array {
  const size = 2 * list.length;
  if (list instanceof Float64Array) return copied(list, new Float64Array(size));
  return list instanceof Uint8Array ? copied(list, new Uint8Array(size)) : copied(list, new Uint32Array(size));
}

function copied<List extends Uint8Array | Uint32Array | Float64Array>(from: List, to: List): List {
  to.set(from);
  return to;
}
