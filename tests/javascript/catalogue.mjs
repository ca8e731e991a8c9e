// The catalogue of a page in English, in which every sentence stands for itself.
export default { sentences: {}, counted: {}, which: Array.from({ length: 200 }, (_, count) => (count === 1 ? 0 : 1)), language: "en" };
