import type { Documentation } from '@hitherto/http';
import { ANY_FILTERS } from './statistics/query-schemas.ts';

/** The parts of an OpenAPI document that are completed; the types of the plugin cover three versions of OpenAPI. */
interface Document {
  paths?: object;
  components?: { schemas?: object };
}

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: object[];
  readonly responses?: Readonly<Record<string, object>>;
  requestBody?: {
    required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: object }>>;
  };
}

/**
 * Adds the documentation of other faces, and details of routes that the plugin cannot know: HEAD next to every GET, which bodies may be left
 * out, and that reads of statistics accept filters by many names.
 */
export function completeDocument<D extends Document>(document: D, documented: readonly Documentation[]): D {
  const added = documented.map(resolveReferences);
  const named = added.flatMap(({ schemas }) => schemas.map(({ $id = '', ...schema }) => [$id, schema] as const));
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...Object.fromEntries(named) },
  };
  document.paths = Object.assign({}, document.paths, ...added.map(({ paths }) => paths));
  const schemas = new Map<string, object>(Object.entries(document.components.schemas ?? {}));
  const paths: Record<string, Record<string, Operation>> = { ...document.paths };
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      if (OF_FILES.has(operation.operationId ?? '')) operation.requestBody = FILE;
      const { requestBody } = operation;
      if (requestBody !== undefined && requestBody !== FILE)
        requestBody.required = Object.values(requestBody.content).some(isRequired);
    }
    if (operations.get?.parameters?.some(isFilter)) operations.get.parameters.push(ANY_FILTERS);
    if (operations.get !== undefined) operations.head = headOf(operations.get);
  }
  return document;

  /** A request without a body is like an empty object, which is enough where no field is required. */
  function isRequired({ schema }: { readonly schema: object }): boolean {
    const name = '$ref' in schema ? String(schema.$ref).replace('#/components/schemas/', '') : '';
    const resolved = schemas.get(name) ?? schema;
    return 'required' in resolved && Array.isArray(resolved.required) && resolved.required.length > 0;
  }
}

const OF_FILES: ReadonlySet<string> = new Set(['createImport', 'createCoverage']);

/** A file is read as a stream, which no schema validates. */
const FILE = {
  required: true,
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};

/** Whether a parameter shows that an operation accepts filters. */
function isFilter(parameter: object): boolean {
  return 'name' in parameter && parameter.name === 'segment';
}

/** A copy that names schemas as OpenAPI does. */
function resolveReferences(documentation: Documentation): Documentation {
  return JSON.parse(JSON.stringify(documentation).replace(/"\$ref":"(\w+)#"/g, '"$ref":"#/components/schemas/$1"'));
}

/** The same response without its body. */
function headOf(get: Operation): Operation {
  const responses = Object.entries(get.responses ?? {}).map(([status, response]) => {
    const { content: _, ...head }: { content?: object } = response;
    return [status, head];
  });
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}: the headers alone`,
    responses: Object.fromEntries(responses),
  };
}
