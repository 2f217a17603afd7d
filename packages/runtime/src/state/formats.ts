/** The formats of JSON Schema that a state may name and that are checked; others are annotations only. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => TIME.test(text),
  'date-time': (text) =>
    /^[^tT ]+[tT ][^tT ]+$/.test(text) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
  duration: (text) =>
    /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/.test(text),
  email: (text) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)*$/.test(text),
  uuid: (text) => /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:/i.test(text) && !/\s/.test(text) && URL.canParse(text),
  ipv4: (text) => /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/.test(text),
};

/** RFC 3339: with seconds and an offset. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
