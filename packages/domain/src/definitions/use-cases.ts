import { isDeepStrictEqual } from 'node:util';
import { DomainError, InvalidFields } from '../base/errors.ts';
import { nextVersion, type Precondition, untilSettled } from '../base/versions.ts';
import type { Change } from '../changes/change.ts';
import { type Created, createOnce } from '../changes/create-once.ts';
import { type Authored, changesOf, makeEntry, verbOf } from '../changes/entry.ts';
import type { IdempotencyRepository } from '../changes/idempotency-repository.ts';
import type { WebsiteKey } from '../websites/website-key.ts';
import type { Contents, Definition, DefinitionChanges, DefinitionKind, NewDefinition } from './definition.ts';
import type { DefinitionRepository } from './definition-repository.ts';
import { funnelInputOf } from './funnels.ts';
import { goalInputOf } from './goals.ts';
import { namedGoals, unknownGoalFaults } from './question.ts';
import { segmentInputOf } from './segments.ts';

// One use case for each verb, for segments, goals and funnels. Each rejects with `not_found` if the account has no such
// website, or the website no such definition.

export interface DefinitionDependencies {
  readonly definitions: DefinitionRepository;
  readonly idempotency: IdempotencyRepository;
  readonly now: () => Date;
  /** A new UUIDv7, monotonic within the process. */
  readonly newId: () => string;
  /** Cryptographically strong random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

type Stored = Pick<DefinitionDependencies, 'definitions'>;
type Changing = Stored & Authored & Pick<DefinitionDependencies, 'now' | 'newId'>;

/** All definitions of a kind, in the order of their creation. */
export async function listDefinitions<Kind extends DefinitionKind>(
  { definitions }: Stored,
  kind: Kind,
  website: WebsiteKey,
): Promise<Definition<Kind>[]> {
  const found = await definitions.list(kind, website);
  if (found === undefined) throw notFound();
  return found;
}

/** The definition with this id. Rejects with `not_found`. */
export async function showDefinition<Kind extends DefinitionKind>(
  { definitions }: Stored,
  kind: Kind,
  website: WebsiteKey,
  id: string,
): Promise<Definition<Kind>> {
  const [found] = await definitions.find(kind, website, [id]);
  if (found === undefined) throw notFound();
  return found;
}

/**
 * Creates a definition.
 *
 * @throws InvalidFields `unknown_goal` if a segment names a goal that does not exist
 * @throws DomainError `too_many_segments` and the like
 * @throws NameTaken
 */
export async function createDefinition<Kind extends DefinitionKind>(
  deps: Changing,
  kind: Kind,
  website: WebsiteKey,
  input: NewDefinition<Kind>,
): Promise<Definition<Kind>> {
  const definition = await makeDefinition(deps, website, input);
  await deps.definitions.insert(
    kind,
    website,
    definition,
    definitionChange(deps, kind, website, undefined, definition),
  );
  return definition;
}

/** As {@link createDefinition}, once per `idempotencyKey` and account: see {@link createOnce}. */
export function createDefinitionOnce<Kind extends DefinitionKind>(
  deps: DefinitionDependencies & Authored,
  kind: Kind,
  website: WebsiteKey,
  input: NewDefinition<Kind>,
  idempotencyKey: string,
): Promise<Created<Definition<Kind>>> {
  return createOnce(deps, website.accountId, idempotencyKey, {
    content: JSON.stringify([kind, website.websiteId, input.name, input.content]),
    make: () => makeDefinition(deps, website, input),
    insert: (definition, record) => {
      const change = definitionChange(deps, kind, website, undefined, definition);
      return deps.definitions.insert(kind, website, definition, { ...change, record });
    },
  });
}

/**
 * Updates a definition atomically: concurrent changes to different fields are all kept. An update that changes nothing
 * leaves it unmodified, including `updatedAt`.
 *
 * @throws InvalidFields if the changes do not fit the stored definition, or name a goal that does not exist
 * @throws NameTaken
 * @throws DomainError any error of the precondition
 */
export function updateDefinition<Kind extends DefinitionKind>(
  deps: Changing,
  kind: Kind,
  website: WebsiteKey,
  id: string,
  changes: DefinitionChanges<Kind>,
  precondition?: Precondition,
): Promise<Definition<Kind>> {
  return untilSettled(async () => {
    const current = await showDefinition(deps, kind, website, id);
    precondition?.(current);
    const content = changes.change(current.content);
    const hasNewContent = !isDeepStrictEqual(content, current.content);
    const name = changes.name ?? current.name;
    if (name === current.name && !hasNewContent) return current;
    if (hasNewContent) await rejectUnknownGoals(deps, website, content, current.content);
    const changed = { ...current, name, content, updatedAt: nextVersion(current, deps.now()) };
    const change = definitionChange(deps, kind, website, current, changed);
    return (await deps.definitions.replace(kind, website, changed, current.updatedAt, change)) ? changed : undefined;
  });
}

/** Deletes a definition. Throws any error of the precondition, and `SegmentInUse`. */
export async function deleteDefinition(
  deps: Changing,
  kind: DefinitionKind,
  website: WebsiteKey,
  id: string,
  precondition?: Precondition,
): Promise<void> {
  await untilSettled(async () => {
    const current = await showDefinition(deps, kind, website, id);
    precondition?.(current);
    const change = definitionChange(deps, kind, website, current, undefined);
    return (await deps.definitions.delete(kind, website, id, current.updatedAt, change)) ? current : undefined;
  });
}

async function makeDefinition<Kind extends DefinitionKind>(
  deps: Stored & Pick<DefinitionDependencies, 'now' | 'newId'>,
  website: WebsiteKey,
  { name, content }: NewDefinition<Kind>,
): Promise<Definition<Kind>> {
  await rejectUnknownGoals(deps, website, content);
  const now = deps.now();
  return { id: deps.newId(), name, content, createdAt: now, updatedAt: now };
}

/** The change of a definition that is created (no `before`), updated, or deleted (no `after`). */
function definitionChange<Kind extends DefinitionKind>(
  deps: Changing,
  kind: Kind,
  { accountId, websiteId }: WebsiteKey,
  before: Definition<Kind> | undefined,
  after: Definition<Kind> | undefined,
): Change {
  const { id, name } = after ?? before ?? missing();
  const verb = verbOf(before, after);
  const changes = changesOf(fieldsOf(kind, before), fieldsOf(kind, after));
  const about = { accountId, action: `${kind}.${verb}`, websiteId, subject: { id, name }, changes } as const;
  return { entry: makeEntry(deps, about) };
}

/** The content of each kind as the API takes it. */
const INPUTS: { readonly [Kind in DefinitionKind]: (content: Contents[Kind]) => object } = {
  segment: segmentInputOf,
  goal: goalInputOf,
  funnel: funnelInputOf,
};

function fieldsOf<Kind extends DefinitionKind>(kind: Kind, definition: Definition<Kind> | undefined) {
  return definition === undefined ? {} : { name: definition.name, ...INPUTS[kind](definition.content) };
}

function missing(): never {
  throw new Error('An entry about a definition needs the definition.');
}

/** Only segments name goals. */
async function rejectUnknownGoals(
  deps: Stored,
  website: WebsiteKey,
  content: Contents[DefinitionKind],
  before?: Contents[DefinitionKind],
): Promise<void> {
  if (!('filters' in content) || namedGoals(content.filters).length === 0) return;
  if (before !== undefined && 'filters' in before && isDeepStrictEqual(content.filters, before.filters)) return;
  const goals = await listDefinitions(deps, 'goal', website);
  const faults = unknownGoalFaults(content.filters, new Map(goals.map((goal) => [goal.id, goal])));
  if (faults.length > 0) throw new InvalidFields(faults);
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such website, or no such definition.');
}
