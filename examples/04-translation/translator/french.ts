/** A small, deterministic stand-in for a translation: looks French, and is about as long as the original. */
const WORDS: Readonly<Record<string, string>> = {
  a: 'un',
  after: 'après',
  again: 'encore',
  and: 'et',
  at: 'à',
  because: 'parce que',
  before: 'avant',
  better: 'meilleur',
  bread: 'pain',
  by: 'par',
  closed: 'fermé',
  door: 'porte',
  each: 'chacun',
  early: 'tôt',
  for: 'pour',
  from: 'de',
  garden: 'jardin',
  how: 'comment',
  in: 'dans',
  is: 'est',
  it: 'il',
  look: 'regardent',
  more: 'plus',
  morning: 'matin',
  never: 'jamais',
  new: 'nouveau',
  of: 'de',
  old: 'vieux',
  on: 'sur',
  one: 'un',
  open: 'ouvert',
  people: 'les gens',
  river: 'rivière',
  shop: 'boutique',
  stones: 'pierres',
  storm: 'tempête',
  sunday: 'dimanche',
  table: 'table',
  than: 'que',
  that: 'que',
  the: 'le',
  their: 'leur',
  there: 'là',
  they: 'ils',
  three: 'trois',
  to: 'à',
  town: 'ville',
  two: 'deux',
  was: 'était',
  water: 'eau',
  when: 'quand',
  why: 'pourquoi',
  with: 'avec',
};

function word(english: string): string {
  const known = WORDS[english.toLowerCase()];
  const french = known ?? (english.length > 3 ? `${english.replace(/(?:ed|ing|s|e|y)$/i, '')}é` : english);
  return /^[A-Z]/.test(english) ? french.charAt(0).toUpperCase() + french.slice(1) : french;
}

export function toFrench(english: string): string {
  return english.replace(/[A-Za-z]+/g, word);
}
