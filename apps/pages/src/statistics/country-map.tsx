import type { TopValue } from '@hitherto/domain/engine';
import { formatValue } from '@hitherto/domain/format';
import { ASSETS } from '../shared/assets.ts';
import { useLocale } from '../shared/locale.tsx';
import { DOTS, MAP_BOX } from './dots.ts';

/** The visitors of each country of the period. */
export interface CountriesView {
  readonly rows: readonly Pick<TopValue, 'value' | 'visitors'>[];
  /** Of the period. */
  readonly visitors: number;
}

/** A country with at least this share of the visitors has the color of this number, or a stronger one. */
const STEPS = [0, 0.01, 0.05, 0.2] as const;
/** So many countries are named in the description; the list has all. */
const NAMED = 5;

/** A map of dots: countries are tinted by their share of the visitors. */
export function CountryMap({ countries: { rows, visitors } }: { readonly countries: CountriesView }) {
  const locale = useLocale();
  const { words, format } = locale;
  const known = rows.flatMap(({ value, visitors: count }) => {
    const dots = value === null ? undefined : DOTS[value];
    const share = count / visitors;
    return dots === undefined
      ? []
      : [
          {
            value,
            dots,
            share,
            text: `${formatValue(locale, 'country', value)} ${words.formats.percent(format.percent(share))}`,
          },
        ];
  });
  if (known.length === 0) return null;
  const [x, y, width, height] = MAP_BOX;
  return (
    <svg class="map" viewBox={MAP_BOX.join(' ')} role="img" aria-labelledby="map-title map-text">
      <title id="map-title">{words.lists.map}</title>
      <desc id="map-text">
        {known
          .slice(0, NAMED)
          .map(({ text }) => text)
          .join(', ')}
      </desc>
      <image href={ASSETS.land} x={x} y={y} width={width} height={height} />
      {known.map(({ value, dots, share, text }) => (
        <path key={value} class={`m${STEPS.findLastIndex((step) => share >= step)}`} d={dots}>
          <title>{text}</title>
        </path>
      ))}
    </svg>
  );
}
