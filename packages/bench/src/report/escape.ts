/** Text for HTML content and quoted attributes. Control characters but tab and newline become spaces. */
export function html(text: string): string {
  return plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Text for one line or table cell of Markdown: nothing in it is markup, HTML, a link or a line break. */
export function markdown(text: string): string {
  return plain(text)
    .replace(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_[\]|~#]/g, (mark) => `\\${mark}`)
    .replace(/(https?|www)(?=[:.])/gi, (scheme) => `${scheme}\u200b`)
    .trim();
}

/** Without control characters but tab and newline, and without what turns the reading direction. */
export function plain(text: string): string {
  return text.toWellFormed().replace(/[^\P{Cc}\t\n]|\p{Bidi_Control}/gu, ' ');
}
