import type { Block, BlockDesign } from './blocks.schema.js';
import { escapeAttribute, escapeText, htmlOfMarkup } from './inline-markup.rules.js';

const FONTS = {
  sans: 'Helvetica, Arial, sans-serif',
  serif: 'Georgia, Times, serif',
  mono: 'Menlo, Consolas, monospace',
} as const;
const HEADINGS = { large: ['h1', 28], medium: ['h2', 22], small: ['h3', 18] } as const;
const SPACES = { small: 16, medium: 32, large: 64 } as const;
/** In pixels of the 600, without the space at both sides. */
const WIDTHS = { full: 552, half: 276, small: 138 } as const;
const [INK, PALE, LINE, PAPER] = ['#1f2328', '#6b7280', '#e5e7eb', '#ffffff'];

/** Programs with a dark look that read such styles take them; the others show the light look, or change it themselves. */
const DARK = `
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      @media (prefers-color-scheme: dark) {
        body, .around { background-color: #111315 !important; }
        .paper, .paper > table { background-color: #1c1f22 !important; background: #1c1f22 !important; }
        .ink div, .ink h1, .ink h2, .ink h3 { color: #f1f3f5 !important; }
        .pale div { color: #a8b0b8 !important; }
        .line p { border-top-color: #3a3f45 !important; }
      }
    `;

/**
 * A design of blocks as MJML: one column that fits a phone, with a dark look of its own. The blocks become HTML with the
 * compiler of all designs.
 */
export function mjmlOfBlocks({ style, blocks }: BlockDesign): string {
  const lines = blocks.flatMap((block) => elementOf(block, style) ?? []);
  return `<mjml>
  <mj-head>
    <mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>
    <mj-attributes>
      <mj-all font-family="${FONTS[style.font]}" />
      <mj-text font-size="16px" line-height="1.5" color="${INK}" />
    </mj-attributes>
    <mj-style>${DARK}</mj-style>
  </mj-head>
  <mj-body background-color="${style.background}" css-class="around" width="600px">
    <mj-section background-color="${PAPER}" css-class="paper" padding="24px 0">
      <mj-column>
        ${lines.join('\n        ')}
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
}

/** One line of MJML; undefined for a block that is not filled in yet. */
function elementOf(block: Block, { accent }: BlockDesign['style']): string | undefined {
  const linkStyle = `color:${accent}`;
  switch (block.kind) {
    case 'heading': {
      const [tag, size] = HEADINGS[block.size];
      if (isBlank(block.text)) return undefined;
      const look = `margin:0;font-size:${size}px;line-height:1.25;color:${INK}`;
      return `<mj-text css-class="ink" align="${block.align}"><${tag} style="${look}">${escapeText(block.text.trim())}</${tag}></mj-text>`;
    }
    case 'text':
      if (isBlank(block.text)) return undefined;
      return `<mj-text css-class="ink" align="${block.align}">${htmlOfMarkup(block.text, linkStyle)}</mj-text>`;
    case 'button':
      if (isBlank(block.label) || block.url === '') return undefined;
      return `<mj-button align="${block.align}" href="${escapeAttribute(block.url)}" background-color="${accent}" color="${inkOn(accent)}" border-radius="6px" font-size="16px" font-weight="bold" inner-padding="12px 22px">${escapeText(block.label.trim())}</mj-button>`;
    case 'image': {
      if (block.url === '') return undefined;
      const href = block.link === '' ? '' : ` href="${escapeAttribute(block.link)}"`;
      return `<mj-image src="${escapeAttribute(block.url)}" alt="${escapeAttribute(block.alt.trim())}" width="${WIDTHS[block.width]}px"${href} />`;
    }
    case 'divider':
      return `<mj-divider css-class="line" border-width="1px" border-color="${LINE}" />`;
    case 'space':
      return `<mj-spacer height="${SPACES[block.size]}px" />`;
    case 'footer':
      if (isBlank(block.text)) return undefined;
      return `<mj-text css-class="pale" align="center" font-size="13px" color="${PALE}">${htmlOfMarkup(block.text, `color:${PALE}`)}</mj-text>`;
  }
}

const isBlank = (text: string): boolean => text.trim() === '';

/** Black or white, whichever has more contrast (WCAG 2.2, relative luminance). */
export function inkOn(background: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(background.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) ** 2 > 1.05 * 0.05 ? '#000000' : '#ffffff';
}
