/** A part of an OpenAPI document. */
type Part = Readonly<Record<string, unknown>>;

/** Who writes what a schema describes: clients, or the service. */
type Writer = 'client' | 'service';

/**
 * What clients of the earlier OpenAPI document would miss in the later one, or would have to add to their requests: an API
 * changes only by additions. Each is the place of the difference.
 */
export function breakingChanges(earlier: Part, later: Part): string[] {
  const seen = new Set<string>();
  return [...differences()];

  function* differences(): Generator<string> {
    for (const [path, operations] of entries(earlier.paths)) {
      for (const [method, operation] of entries(operations)) {
        const same = at(at(later.paths, path), method);
        if (same === undefined) yield `${method} ${path}`;
        else yield* inOperation(`${method} ${path}`, operation, same);
      }
    }
  }

  function* inOperation(place: string, before: Part, after: Part): Generator<string> {
    const [known, now] = [parametersOf(before, earlier), parametersOf(after, later)];
    for (const [name, { schema }] of known) {
      const same = now.get(name);
      if (same === undefined) yield `${place} ${name}`;
      else yield* inSchema(`${place} ${name}`, schema, same.schema, 'client');
    }
    for (const [name, { required }] of now) {
      if (required === true && !known.has(name)) yield `${place} ${name} is required`;
    }
    yield* inContent(place, before.requestBody, after.requestBody, 'client');
    for (const [status, response] of entries(before.responses)) {
      const same = at(after.responses, status);
      if (same === undefined) yield `${place} ${status}`;
      else yield* inContent(`${place} ${status}`, response, same, 'service');
    }
  }

  function* inContent(place: string, before: unknown, after: unknown, writer: Writer): Generator<string> {
    const content = resolve(after, later)?.content;
    for (const [type, { schema }] of entries(resolve(before, earlier)?.content)) {
      const same = at(content, type);
      if (same === undefined) yield `${place} ${type}`;
      else yield* inSchema(`${place} ${type}`, schema, same.schema, writer);
    }
  }

  function* inSchema(place: string, before: unknown, after: unknown, writer: Writer): Generator<string> {
    const pair = `${writer} ${JSON.stringify(before)} ${JSON.stringify(after)}`;
    const [one, other = {}] = [resolve(before, earlier), resolve(after, later)];
    if (one === undefined || seen.has(pair)) return;
    seen.add(pair);
    for (const [name, schema] of entries(one.properties)) {
      const same = at(other.properties, name);
      if (same === undefined) yield `${place} ${name}`;
      else yield* inSchema(`${place} ${name}`, schema, same, writer);
    }
    // Clients may still leave out what they could leave out, and find what they could rely on.
    const [some, all] = writer === 'client' ? [other, one] : [one, other];
    for (const name of missingIn(all.required, some.required)) yield `${place} ${name} is required`;
    for (const value of missingIn(other.enum, one.enum)) yield `${place} ${value}`;
    for (const type of missingIn(other.type, one.type)) yield `${place} ${type}`;
    if (one.items !== undefined) yield* inSchema(`${place}[]`, one.items, other.items, writer);
    for (const kind of ['anyOf', 'oneOf', 'allOf']) {
      const those = listOf(other[kind]);
      for (const [number, schema] of listOf(one[kind]).entries()) {
        yield* inSchema(`${place} ${kind} ${number}`, schema, those[number], writer);
      }
    }
  }
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entries(value: unknown): [string, Part][] {
  return Object.entries(isPart(value) ? value : {}).flatMap(([name, each]) => (isPart(each) ? [[name, each]] : []));
}

function at(value: unknown, name: string): Part | undefined {
  const found = isPart(value) ? value[name] : undefined;
  return isPart(found) ? found : undefined;
}

/** A lone value is a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function missingIn(list: unknown, wanted: unknown): unknown[] {
  return listOf(wanted).filter((value) => !listOf(list).includes(value));
}

function resolve(value: unknown, document: Part): Part | undefined {
  if (!isPart(value) || typeof value.$ref !== 'string') return isPart(value) ? value : undefined;
  const [, ...names] = value.$ref.split('/');
  const found = names.reduce<Part | undefined>((part, name) => at(part, name), document);
  return resolve(found, document);
}

/** The parameters of an operation, by place and name. */
function parametersOf({ parameters }: Part, document: Part): ReadonlyMap<string, Part> {
  const found = listOf(parameters).map((each) => resolve(each, document) ?? {});
  return new Map(found.map((each) => [`${each.in} ${each.name}`, each]));
}
