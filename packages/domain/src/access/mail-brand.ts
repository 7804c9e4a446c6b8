import type { AccessRepository } from './access-repository.ts';
import type { Brand } from './brand.ts';
import { logoKind } from './logo.ts';

/** How the mails of an account look. */
export interface MailBrand extends Pick<Brand, 'name' | 'accent'> {
  /** The content of its logo if that is a PNG: few mail programs show an SVG. */
  readonly logo: Uint8Array | null;
}

/** How the mails of an account look now. */
export async function mailBrandOf(
  access: Pick<AccessRepository, 'findAccount' | 'findLogo'>,
  accountId: string,
): Promise<MailBrand | undefined> {
  const brand = (await access.findAccount(accountId))?.brand;
  if (brand === undefined) return undefined;
  const { name, accent, logo } = brand;
  const isShown = logo !== null && logoKind(logo) === 'png';
  return { name, accent, logo: (isShown ? await access.findLogo(logo) : undefined) ?? null };
}
