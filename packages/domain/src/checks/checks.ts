import { ENGLISH, type Format, type Locale } from '@hitherto/words';
import { storableString } from '../base/strings.ts';
import type { Website } from '../websites/website.ts';
import { addressOfProxy } from './address-of-proxy.ts';
import { type Check, type CheckNumbers, type Fix, type Found, MAX_FOUND } from './check.ts';
import { clock } from './clock.ts';
import { countedTwice } from './counted-twice.ts';
import type { Finding } from './finding.ts';
import { labelsSplit } from './labels-split.ts';
import { newSpammer } from './new-spammer.ts';
import { pageSilent } from './page-silent.ts';
import { queryNoise } from './query-noise.ts';
import { secretInPage } from './secret-in-page.ts';
import { selfReferral } from './self-referral.ts';
import { spamLike } from './spam-like.ts';
import { unknownHost } from './unknown-host.ts';
import { zone } from './zone.ts';

/** All checks, by their names in the API (checks.md). A new one needs its file, a row here, and its sentence in each language. */
const TABLE = {
  page_silent: pageSilent,
  unknown_host: unknownHost,
  spam_like: spamLike,
  new_spammer: newSpammer,
  query_noise: queryNoise,
  labels_split: labelsSplit,
  counted_twice: countedTwice,
  self_referral: selfReferral,
  address_of_proxy: addressOfProxy,
  clock,
  zone,
  secret_in_page: secretInPage,
} as const;

export type CheckName = keyof typeof TABLE;
export const CHECKS = Object.keys(TABLE) as readonly CheckName[];

/** What a check has to say for what it finds, by its name. */
export type EvidenceOf = {
  readonly [Name in CheckName]: (typeof TABLE)[Name] extends Check<infer Evidence> ? Evidence : never;
};

const CHECK_TABLE: { readonly [Name in CheckName]: Check<EvidenceOf[Name]> } = TABLE;

/** What a check has found, with its name. */
export type FoundBy<Name extends CheckName = CheckName> = {
  readonly [Each in Name]: Found<EvidenceOf[Each]> & { readonly check: Each };
}[Name];

/** Everything that the checks find, at most {@link MAX_FOUND} each. */
export function findAll(numbers: CheckNumbers): FoundBy[] {
  const findBy = <Name extends CheckName>(check: Name) =>
    CHECK_TABLE[check]
      .find(numbers)
      .slice(0, MAX_FOUND)
      .map((found) => ({ ...found, subject: storableString(found.subject), check }));
  return CHECKS.flatMap((check): FoundBy[] => findBy(check) as FoundBy[]);
}

type Texts = { readonly [Name in CheckName]: (evidence: EvidenceOf[Name], format: Format) => string };

/** A finding in a sentence, in English by default, in which values from outside stand as they are. */
export function textOfFinding<Name extends CheckName>(
  { check, evidence }: Pick<Finding<Name>, 'check' | 'evidence'>,
  { words, format }: Pick<Locale, 'words' | 'format'> = ENGLISH,
): string {
  const { texts }: { readonly texts: Texts } = words.findings;
  return texts[check](evidence, format);
}

/** What closes a finding, with the settings that the website has now. */
export function fixOfFinding<Name extends CheckName>(
  { check, evidence, since }: Pick<Finding<Name>, 'check' | 'evidence' | 'since'>,
  website: Website,
): Fix {
  return CHECK_TABLE[check].fix(evidence, website, since);
}
