import type { AlertRepository } from '@hitherto/domain/alerts';
import { type Fault, InvalidFields } from '@hitherto/domain/base';
import type {
  Contents,
  Definition,
  DefinitionKind,
  DefinitionRepositories,
  NewDefinition,
} from '@hitherto/domain/definitions';
import type { StatisticsQuery, StatisticsRepository } from '@hitherto/domain/engine';
import type { WebsiteKey } from '@hitherto/domain/websites';
import type { JSX } from 'preact';
import type { DefinitionsPage } from '../../shared/paths.ts';

/** The fields of a form, as it was sent or as it is to be shown. */
export type FormFields = Readonly<Record<string, string>>;

/** The sources of the pages of definitions. */
export interface DefinitionSources {
  readonly definitions: DefinitionRepositories;
  readonly statistics: StatisticsRepository;
  readonly alerts: AlertRepository;
}

/** A website of the owner, and its last 28 days. */
export interface RecentDays {
  readonly website: WebsiteKey;
  readonly query: StatisticsQuery;
}

export interface FieldsProps<Aids> {
  readonly fields: FormFields;
  readonly faults: readonly Fault[];
  readonly aids: Aids;
}

/** How the owner's pages list and edit definitions of a kind. */
export interface DefinitionPages<Kind extends DefinitionKind, Aids> {
  readonly kind: Kind;
  readonly page: DefinitionsPage;
  /** The parameter of the statistics page that chooses visits by one of them. */
  readonly parameter?: string;
  /** Their purpose, in one sentence. */
  readonly purpose: string;

  /** Definitions of a website in words, in their order. */
  summarize(
    sources: DefinitionSources,
    website: WebsiteKey,
    definitions: readonly Definition<Kind>[],
  ): Promise<readonly JSX.Element[]>;

  /** A notice to the owner before this one is deleted. */
  warn?(sources: DefinitionSources, website: WebsiteKey, id: string): Promise<JSX.Element | undefined>;

  /** The choices of the form, which reading it needs too. */
  readAids(sources: DefinitionSources, days: RecentDays): Promise<Aids>;

  /** The form for a new definition, from the parameters of its address. */
  fieldsOfQuery(query: URLSearchParams, aids: Aids): FormFields;

  /** Whether that form has these parameters unchanged; it does by default. */
  canShow?(query: URLSearchParams, aids: Aids): boolean;

  /** The form for this content. */
  fieldsOf(content: Contents[Kind], aids: Aids): FormFields;

  /** The content that the form stands for, if it can show all of it: values as if they had been typed. */
  asTyped(content: Contents[Kind]): Contents[Kind];

  /** The form after one of its own buttons was pressed; `undefined` if it was none of them. */
  rearrange?(fields: FormFields): FormFields | undefined;

  /** Throws `InvalidFields`, with the names of the domain. */
  parse(fields: FormFields, aids: Aids): NewDefinition<Kind>;

  /** A fault of the domain, by the name of the form's field. */
  placeFault(fault: Fault, fields: FormFields, aids: Aids): Fault;

  /** The controls for everything but the name. */
  readonly Fields: (props: FieldsProps<Aids>) => JSX.Element;

  /** How often it happened in these days. Throws `InvalidFields` if the content names a goal that does not exist. */
  preview(sources: DefinitionSources, days: RecentDays, content: Contents[Kind]): Promise<JSX.Element>;
}

/** The lines of a field that are not blank, with their numbers from 1. */
export function linesOf(text = ''): { readonly line: number; readonly text: string }[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ line: index + 1, text: line }))
    .filter((line) => line.text.trim() !== '');
}

/** The result of `parse`. Throws `InvalidFields` with these faults and its own. */
export function parseWith<Parsed>(faults: readonly Fault[], parse: () => Parsed): Parsed {
  let parsed: Parsed;
  try {
    parsed = parse();
  } catch (error) {
    if (error instanceof InvalidFields) throw new InvalidFields([...error.faults, ...faults]);
    throw error;
  }
  if (faults.length > 0) throw new InvalidFields(faults);
  return parsed;
}
