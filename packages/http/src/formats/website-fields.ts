import type { Privacy } from '@hitherto/domain';

// The fields of a website as the API and the owner's forms name and write them. This is the only place that knows 0, 1 and 2.

/** Privacies by their numbers. */
export const PRIVACIES = ['public', 'private', 'password'] as const satisfies readonly Privacy[];

export const PRIVACY_NUMBERS = { public: 0, private: 1, password: 2 } as const satisfies Record<Privacy, number>;

/** Fields that can be faulty and whose names differ from the domain's. */
const FIELD_NAMES = new Map([
  ['excludedParams', 'exclude_params'],
  ['excludedIps', 'exclude_ips'],
]);

/** The name of a field, by the domain's name. */
export function fieldNameOf(domainName: string): string {
  return FIELD_NAMES.get(domainName) ?? domainName;
}

/** The entries of a list that is written one entry a line. */
export function splitLines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}
