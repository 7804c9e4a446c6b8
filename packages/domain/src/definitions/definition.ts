import { DomainError, type Fault, inWords } from '../base/errors.ts';
import type { FilterSet } from '../visits/filters.ts';
import type { HitRule } from '../visits/rules.ts';

/** The rule of a goal (api.md, "Segments, goals and funnels"). */
export interface GoalContent {
  readonly rule: HitRule;
  /** The property whose numbers are added up; `null` for none, as in all goals by page. */
  readonly sum: string | null;
}

/** The steps of a funnel, in order. */
export interface FunnelContent {
  readonly steps: readonly FunnelStep[];
  /** Whether no other pageview may lie between two steps; absent if it may. */
  readonly isStrict?: boolean;
}

/** A visit reaches a step by a hit that the rule matches, after the hits of earlier steps. */
export interface FunnelStep {
  readonly name: string;
  readonly rule: HitRule;
}

/** The definitions of a website's owner, by kind. */
export interface Contents {
  readonly segment: FilterSet;
  readonly goal: GoalContent;
  readonly funnel: FunnelContent;
}

export type DefinitionKind = keyof Contents;

/** The most definitions of each kind that a website has. */
export const DEFINITION_LIMITS: Readonly<Record<DefinitionKind, number>> = { segment: 50, goal: 50, funnel: 20 };

/** A segment, a goal or a funnel of a website. */
export interface Definition<Kind extends DefinitionKind = DefinitionKind> {
  /** UUIDv7, lower case. */
  readonly id: string;
  /** Unique among the definitions of this kind and website. */
  readonly name: string;
  readonly content: Contents[Kind];
  readonly createdAt: Date;
  /** Strictly later with every change, to the millisecond, so it is also the definition's version. */
  readonly updatedAt: Date;
}

/** A new definition that passed all rules which need no stored state. */
export interface NewDefinition<Kind extends DefinitionKind> {
  readonly name: string;
  readonly content: Contents[Kind];
}

/** Changes to a definition that passed all rules which need no stored state. */
export interface DefinitionChanges<Kind extends DefinitionKind> {
  /** `undefined` keeps the name. */
  readonly name: string | undefined;
  /** The content with the changes applied. Throws `InvalidFields` if they do not fit the stored content. */
  readonly change: (content: Contents[Kind]) => Contents[Kind];
}

const MAX_NAME_LENGTH = 64;

/** The faults of a name: of a definition, or of a step of a funnel. An absent one is a fault where it is required. */
export function nameFaults(name: string | undefined, isRequired: boolean): Fault[] {
  if (name === undefined && !isRequired) return [];
  const text = inWords(({ faults }) => faults.name(MAX_NAME_LENGTH));
  if (name === undefined || name === '') return [{ field: 'name', code: 'required', ...text }];
  if ([...name].length > MAX_NAME_LENGTH) return [{ field: 'name', code: 'too_long', ...text }];
  const isInvalid = /[\p{Cc}\p{Cs}]/u.test(name) || name.trim() !== name;
  return isInvalid ? [{ field: 'name', code: 'invalid_name', ...text }] : [];
}

/** The website has as many definitions of this kind as it may have. */
export function tooManyDefinitions(kind: DefinitionKind): DomainError {
  const detail = `A website has at most ${DEFINITION_LIMITS[kind]} ${kind}s. Delete one first.`;
  return new DomainError(`too_many_${kind}s`, detail, { saying: ({ faults }) => faults.full(DEFINITION_LIMITS[kind]) });
}
