// How the search page ranks its results: as Sphinx does, but titles that hold the whole query come first.
// Sphinx finds a title by its words in any order, and also by words of the page's title.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([, title, , , score]) => {
    const plain = (text) => text.toLowerCase().replace(/<[^>]*>/g, "").replaceAll("&#x27;", "'").trim();
    const query = plain(new URLSearchParams(location.search).get("q") || "");
    const shown = plain(title);
    const words = shown.replace(/^[\d.]+ | \[[\w-]+\]$/g, ""); // without the number and the label of a statement
    if (query && shown.endsWith(`[${query}]`)) return score + 200;
    return query && shown.includes(query) ? score + 100 * Math.min(1, query.length / words.length) : score;
  },
};
