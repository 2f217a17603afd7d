const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds of an ISO 8601 time with zone; null for anything else (a local time without zone is ambiguous). */
export function parseInstant(text: string): number | null {
  if (!INSTANT.test(text)) return null;
  const value = Date.parse(text);
  return Number.isNaN(value) ? null : value;
}
