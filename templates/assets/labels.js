// Texts of the page in the words of the owner. CATALOG.labels has them by the English text:
// a text, or its forms by plural category (CLDR).

/** Puts values into the places of a text that braces name. */
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? values[name] : all));
/** A text, and one that counts. */
const t = (text, values = {}) => fill(CATALOG.labels[text] ?? text, values);
let plurals; // loaded where the owner has forms
const n = (count, one, other, values = {}) => {
  const forms = CATALOG.labels[other];
  return fill(forms ? forms[(plurals ??= new Intl.PluralRules(document.documentElement.lang)).select(count)] ?? forms.other : count === 1 ? one : other, { n: count, ...values });
};
