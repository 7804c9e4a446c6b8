import type { Brand } from '@hitherto/domain/access';
import type { Fault } from '@hitherto/domain/base';
import { Faults, TextField } from '../../owner/field.tsx';
import { BrandLine, InBrand } from '../../shared/brand.tsx';
import { useLocale } from '../../shared/locale.tsx';
import { accentPath } from '../../shared/paths.ts';

/** The stored look, as public pages have it. */
export function BrandPreview({ brand }: { readonly brand: Brand }) {
  const { words } = useLocale();
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">{words.brand.preview}</h2>
      {brand.accent !== null && <link rel="stylesheet" href={accentPath(brand.accent)} />}
      {(['light', 'dark'] as const).map((theme) => (
        <div key={theme} class={`card brand-preview ${brand.accent === null ? '' : 'branded'}`} data-theme={theme}>
          <InBrand brand={brand}>
            <BrandLine />
          </InBrand>
          <p class="accented">{words.brand.linkLike}</p>
          <p>
            <span class="button">{words.brand.buttonLike}</span>
          </p>
        </div>
      ))}
    </section>
  );
}

interface BrandFormProps {
  readonly action: string;
  readonly name: string;
  readonly accent: string;
  readonly hasLogo: boolean;
  readonly faults: readonly Fault[];
}

export function BrandForm({ action, name, accent, hasLogo, faults }: BrandFormProps) {
  const { brand, people } = useLocale().words;
  return (
    <form class="settings" method="post" action={action} encType="multipart/form-data">
      <p>{brand.text}</p>
      <TextField name="name" label={brand.name} hint={brand.nameHint} value={name} maxLength={100} faults={faults} />
      <TextField
        name="accent"
        label={brand.accent}
        hint={brand.accentHint}
        value={accent}
        maxLength={7}
        spellcheck={false}
        faults={faults}
      />
      <TextField
        name="logo"
        label={brand.logo}
        hint={brand.logoHint}
        type="file"
        accept="image/png,image/svg+xml"
        faults={faults}
      />
      {hasLogo && (
        <div class="field choice">
          <label>
            <input type="checkbox" name="remove_logo" value="1" />
            <span>{brand.removeLogo}</span>
          </label>
          <Faults name="remove_logo" faults={faults} />
        </div>
      )}
      <button type="submit">{people.save}</button>
    </form>
  );
}
