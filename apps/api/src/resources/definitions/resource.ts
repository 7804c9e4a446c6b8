import type { Fault } from '@hitherto/domain/base';
import type {
  Definition,
  DefinitionChanges,
  DefinitionKind,
  DefinitionsToFind,
  FunnelInput,
  GoalInput,
  NewDefinition,
} from '@hitherto/domain/definitions';
import type { Match } from '@hitherto/domain/visits';
import type { WebsiteKey } from '@hitherto/domain/websites';
import { type TObject, type TSchema, Type } from '@sinclair/typebox';

/** The fields of bodies of all kinds; each schema accepts the fields of one kind. */
export interface DefinitionBody extends GoalInput, FunnelInput {
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  readonly match?: Match;
}

/** How definitions of a kind are sent and shown. */
export interface DefinitionResource<Kind extends DefinitionKind> {
  readonly kind: Kind;
  readonly schemas: DefinitionSchemas;
  /** Throws `InvalidFields`, with the names of the API. */
  parseNew(body: DefinitionBody): NewDefinition<Kind>;
  /** Throws `InvalidFields`, with the names of the API. */
  parseChanges(body: DefinitionBody): DefinitionChanges<Kind>;
  /** The fields of a definition, in addition to the common ones. */
  fieldsOf(content: Definition<Kind>['content']): object;
  /** The faults of each definition by its id, of a kind that can have some. */
  faultsOf?(
    deps: { readonly definitions: DefinitionsToFind },
    website: WebsiteKey,
    definitions: readonly Definition<Kind>[],
  ): Promise<ReadonlyMap<string, readonly Fault[]>>;
}

/** The schemas that the routes of a kind refer to by name. */
export interface DefinitionSchemas {
  readonly create: TObject;
  readonly update: TObject;
  readonly one: TObject;
  readonly response: TObject;
  readonly list: TObject;
}

interface Described {
  /** As in `Segment`. */
  readonly name: string;
  /** The fields of a body except the name; a create may require some. */
  readonly create: Readonly<Record<string, TSchema>>;
  readonly update: Readonly<Record<string, TSchema>>;
  /** The fields of a resource, in addition to the common ones. */
  readonly shown: Readonly<Record<string, TSchema>>;
  /** The most that a website has. */
  readonly limit: number;
  /** A body. */
  readonly example: { readonly name: string; readonly [field: string]: unknown };
}

const closed = { additionalProperties: false };

export const nameSchema = () =>
  Type.String({ maxLength: 64, description: '1 to 64 characters, no control characters, and no spaces at its ends.' });

/** The schemas of bodies and responses. */
export function schemasOf({ name, create, update, shown, limit, example }: Described): DefinitionSchemas {
  const text = { ...nameSchema(), examples: [example.name] };
  const resource = {
    id: '01997c3e-5a10-7c3a-9d21-3f6f0f3f4f11',
    ...example,
    created_at: '2026-11-20T12:00:00.000Z',
    updated_at: '2026-11-20T12:00:00.000Z',
  };
  // Responses are open: fields may be added within v1.
  const one = Type.Object(
    {
      id: Type.String({ format: 'uuid', description: 'UUIDv7.' }),
      name: Type.String({ description: 'Unique within the website.' }),
      ...shown,
      created_at: Type.String({ format: 'date-time' }),
      updated_at: Type.String({ format: 'date-time', description: 'Strictly later with every change.' }),
    },
    { $id: name, examples: [resource] },
  );
  const reference = Type.Unsafe<object>({ $ref: `${name}#` });
  return {
    create: Type.Object({ name: text, ...create }, { ...closed, $id: `Create${name}`, examples: [example] }),
    update: Type.Object(
      { name: Type.Optional(text), ...update },
      { ...closed, $id: `Update${name}`, examples: [example] },
    ),
    one,
    response: Type.Object({ data: reference }, { $id: `${name}Response`, examples: [{ data: resource }] }),
    list: Type.Object(
      { data: Type.Array(reference, { maxItems: limit }) },
      { $id: `${name}List`, examples: [{ data: [resource] }] },
    ),
  };
}

/** The fields of all resources, around the fields of their kind. */
export function toResource(
  { id, name, createdAt, updatedAt }: Definition,
  fields: object,
  faults: readonly Fault[],
): object {
  const found = faults.length === 0 ? {} : { faults: faults.map(({ field, code }) => ({ field, code })) };
  return { id, name, ...fields, ...found, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
