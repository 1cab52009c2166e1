/** The colors of a button: its text is dark or light, whichever has more contrast (WCAG 2.2, contrast). */
export function buttonColours(accent: string): { background: string; ink: string } {
  const light = luminance(accent);
  const onWhite = 1.05 / (light + 0.05);
  const onBlack = (light + 0.05) / 0.05;
  return { background: accent, ink: onWhite >= onBlack ? '#ffffff' : '#000000' };
}

/** Relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
