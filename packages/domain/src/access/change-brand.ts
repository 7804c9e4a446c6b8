import { ENGLISH } from '@hitherto/words';
import type { Authored } from '../changes/entry.ts';
import { changesOf, makeEntry, secretChange } from '../changes/entry.ts';
import { contrastOf, MIN_CONTRAST, readColour } from './accent.ts';
import type { AccessRepository } from './access-repository.ts';
import { accountNotFound, nameFaults } from './account.ts';
import type { Brand } from './brand.ts';
import { type Logo, type LogoFault, readLogo } from './logo.ts';

/** A brand as somebody gives it: `null` removes a part, `undefined` leaves it. */
export interface BrandInput {
  /** Empty for none. */
  readonly name: string | null | undefined;
  /** Empty for none. */
  readonly accent: string | null | undefined;
  /** The bytes of a file. */
  readonly logo: Uint8Array | null | undefined;
}

/** The faults of a brand. */
export type BrandFault =
  | { readonly field: 'name'; readonly is: 'not_allowed' }
  | { readonly field: 'accent'; readonly is: 'no_colour' }
  | { readonly field: 'accent'; readonly is: 'low_contrast'; readonly contrast: number }
  | ({ readonly field: 'logo' } & LogoFault);

export interface BrandDependencies extends Authored {
  readonly access: Pick<AccessRepository, 'findAccount' | 'updateAccount'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

/**
 * Changes the brand of an account.
 *
 * @returns the faults, with which nothing was changed
 * @throws DomainError `not_found`
 */
export async function changeBrand(
  deps: BrandDependencies,
  accountId: string,
  input: BrandInput,
): Promise<readonly BrandFault[]> {
  const account = await deps.access.findAccount(accountId);
  if (account === undefined) throw accountNotFound();
  const { brand } = account;
  const name = input.name === undefined ? brand.name : input.name?.trim() || null;
  const accent = input.accent === undefined ? brand.accent : input.accent?.trim() || null;
  const logo = input.logo === null || input.logo === undefined ? input.logo : readLogo(input.logo);
  const faults: BrandFault[] = [
    ...(name !== null && nameFaults(name).length > 0 ? [{ field: 'name', is: 'not_allowed' } as const] : []),
    ...accentFaults(accent),
    ...(isFault(logo) ? [{ field: 'logo', ...logo } as const] : []),
  ];
  if (faults.length > 0 || isFault(logo)) return faults;
  const changed: Brand = {
    name,
    accent: accent === null ? null : (readColour(accent) ?? null),
    logo: logo === undefined ? brand.logo : (logo?.name ?? null),
  };
  const changes = [
    ...changesOf(
      { brandName: brand.name, brandAccent: brand.accent },
      { brandName: changed.name, brandAccent: changed.accent },
    ),
    ...secretChange('logo', brand.logo, changed.logo),
  ];
  if (changes.length === 0) return [];
  const subject = { id: account.id, name: account.name };
  const entry = makeEntry(deps, {
    accountId: account.id,
    action: 'account.updated',
    websiteId: null,
    subject,
    changes,
  });
  const stored = logo === undefined ? { brand: changed } : { brand: changed, logo: logo?.bytes ?? null };
  if (!(await deps.access.updateAccount(account.id, stored, { entry }))) throw accountNotFound();
  return [];
}

function accentFaults(accent: string | null): BrandFault[] {
  if (accent === null) return [];
  const colour = readColour(accent);
  if (colour === undefined) return [{ field: 'accent', is: 'no_colour' }];
  const contrast = contrastOf(colour);
  return contrast >= MIN_CONTRAST ? [] : [{ field: 'accent', is: 'low_contrast', contrast }];
}

function isFault(logo: Logo | LogoFault | null | undefined): logo is LogoFault {
  return logo !== null && logo !== undefined && 'is' in logo;
}

/** A fault in words. */
export function brandFaultText(fault: BrandFault, { words: { brand }, format } = ENGLISH): string {
  switch (fault.is) {
    case 'not_allowed':
      return brand.badName;
    case 'no_colour':
      return brand.noColour;
    case 'low_contrast':
      return brand.lowContrast(format.decimal(String(fault.contrast)), format.decimal(String(MIN_CONTRAST)));
    case 'too_large':
      return brand.tooLarge;
    case 'no_image':
      return brand.noImage;
    case 'unsafe':
      return brand.unsafe(fault.part);
  }
}
