import { describe, expect, test } from 'vitest';
import { aPng } from '../../../testing/src/pictures.ts';
import { MAX_LOGO_BYTES, readLogo } from '../../src/access/index.ts';

const svg = (content: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${attributes}>${content}</svg>`;
const read = (text: string) => readLogo(Buffer.from(text));

describe('a PNG', () => {
  test('is named by its content', () => {
    const logo = readLogo(aPng());

    expect(logo).toMatchObject({ name: expect.stringMatching(/^[\da-f]{32}\.png$/), bytes: aPng() });
    expect(readLogo(aPng())).toEqual(logo);
  });

  test('is whole, from the header to the end, and nothing follows', () => {
    const png = Buffer.from(aPng());
    const at = (index: number, byte: number) => Buffer.from(png).fill(byte, index, index + 1);

    for (const bad of [
      png.subarray(0, -1),
      png.subarray(0, 8),
      png.subarray(0, 33),
      Buffer.concat([png, Buffer.from('<script>')]),
      // A checksum, the length of a chunk, and the width.
      at(30, 0xff),
      at(8, 0xff),
      at(16, 0xff),
    ]) {
      expect(readLogo(bad)).toEqual({ is: 'no_image' });
    }
  });

  test('has at most 50 kB', () => {
    expect(readLogo(new Uint8Array(MAX_LOGO_BYTES + 1))).toEqual({ is: 'too_large' });
  });
});

describe('an SVG', () => {
  test.each([
    svg(''),
    `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by a program -->\n${svg('<path d="M0 0h8z" fill="#f00"/>')}\n`,
    svg(
      '<g style="fill:#fff; stroke-width:2"><text x="1">A &amp; B &#233;</text></g>',
      ' id="a" class="b" data-name="c"',
    ),
    svg(
      '<defs><linearGradient id="a"><stop offset="0" stop-color="red"/></linearGradient></defs><rect fill="url(#a)" width="8" height="8"/>',
    ),
    `<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink="http://www.w3.org/1999/xlink"><radialGradient id="b" xlink:href="#a"/></svg>`,
  ])('of shapes, text and paints is accepted: %s', (text) => {
    expect(read(text)).toMatchObject({ name: expect.stringMatching(/^[\da-f]{32}\.svg$/) });
  });

  test.each([
    ['<script>', svg('<script>alert(1)</script>')],
    ['<SCRIPT>', svg('<SCRIPT/>')],
    ['<svg:script>', svg('<svg:script/>')],
    ['<foreignObject>', svg('<foreignObject><p/></foreignObject>')],
    ['<style>', svg('<style>@import url(//x)</style>')],
    ['<image>', svg('<image href="data:image/png;base64,AA"/>')],
    ['<a>', svg('<a href="https://example.com"><path d=""/></a>')],
    ['<use>', svg('<use href="#a"/>')],
    ['<animate>', svg('<animate attributeName="href"/>')],
    ['<set>', svg('<set/>')],
    ['<filter>', svg('<filter id="a"/>')],
    ['onload', svg('', ' onload="alert(1)"')],
    ['onclick', svg('<path d="" onclick=\'x\'/>')],
    ['ONCLICK', svg('<path ONCLICK="x"/>')],
    ['href', svg('<linearGradient href="https://example.com/#a"/>')],
    ['xlink:href', svg('<radialGradient xlink:href="javascript:alert(1)"/>')],
    ['href', svg('<path href="#a"/>')],
    ['fill', svg('<path fill="url(https://example.com/#a)"/>')],
    ['fill', svg('<path fill="u&#114;l(//x)"/>')],
    ['style', svg('<path style="fill:url(//x)"/>')],
    ['style', svg('<path style="background:red"/>')],
    ['style', svg('<path style="fill:r\\65 d"/>')],
    ['style', svg('<path style="fill:red;@import x"/>')],
    ['xmlns', '<svg viewBox="0 0 8 8"></svg>'],
    ['xmlns', '<svg xmlns="http://www.w3.org/1999/xhtml"></svg>'],
    ['xmlns', svg('<path xmlns="http://www.w3.org/1999/xhtml"/>')],
    ['id', svg('<path id="a" id="b"/>')],
    ['<!DOCTYPE', `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('')}`],
    ['<![CDATA[', svg('<text><![CDATA[<script>]]></text>')],
    ['<?xml-stylesheet', `<?xml-stylesheet href="//x"?>${svg('')}`],
    ['<?xml', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`],
    ['&', svg('<text>&evil;</text>')],
    ['&', svg('<text>a & b</text>')],
    ['<path', svg('<path d=1/>')],
    ['<path', svg('<path d="<"/>')],
    ['<!--', svg('<!-- a -- b -->')],
  ])('with %s is rejected, and told so: %s', (part, text) => {
    expect(read(text)).toEqual({ is: 'unsafe', part });
  });

  test.each([
    '',
    'PNG',
    '<svg></svg></html>',
    `${svg('')}${svg('')}`,
    `${svg('')}x`,
    svg('<g>'),
    svg('</g>'),
    svg('<g></path>'),
    svg('\u0000'),
    svg(`${'<g>'.repeat(40)}${'</g>'.repeat(40)}`),
    svg(svg('')),
  ])('that is not one well-formed picture is none: %j', (text) => {
    expect(read(text)).toMatchObject({ is: expect.stringMatching(/^(?:no_image|unsafe)$/) });
  });

  test('in another encoding is none', () => {
    expect(readLogo(Buffer.from(svg('é'), 'latin1'))).toEqual({ is: 'no_image' });
    expect(readLogo(Buffer.from(svg(''), 'utf16le'))).toEqual({ is: 'no_image' });
  });

  test('of 50 kB is read at once, whatever it holds', () => {
    const start = performance.now();
    for (const piece of ['<', '<a ', '<!--', '&', ' ', '"', 'a=', '<path a="', '<path/>', '-']) {
      const content = piece.repeat(Math.floor((MAX_LOGO_BYTES - 200) / piece.length));
      read(svg(content));
      read(svg(`<path d="${content.replaceAll(/["<]/g, ' ')}"/>`));
    }

    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
