export function writeResults() {}
