// The report: every mutation with who noticed it, then the totals, then the survivors once more.
export function table(judged) {
  const rows = judged.map((each) => [each.kind, `${each.file}:${each.line}`, fateOf(each), each.what])
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => [...widths.map((width, column) => row[column].padEnd(width)), row[3]].join('  ')).join('\n')
}

export function totals(judged) {
  const lines = [...new Set(judged.map((each) => each.kind))].map((kind) =>
    line(
      kind,
      judged.filter((each) => each.kind === kind),
    ),
  )
  const ended = judged.filter((each) => each.noticed?.ended)
  const survivors = judged.filter((each) => each.noticed === null && typeof each.test !== 'string')
  return [
    ...lines,
    line('all', judged),
    `${ended.length} of the noticed ones were ended from outside, because they did not end or used up the memory`,
    '',
    survivors.length === 0 ? 'Everything was noticed.' : `SURVIVED:\n${table(survivors)}`,
  ].join('\n')
}

function fateOf({ noticed, test }) {
  if (noticed === null) return typeof test === 'string' ? 'noticed by a test' : 'SURVIVED'
  return noticed.ended ? `${noticed.id} (${noticed.how})` : `noticed by ${noticed.id}`
}

function line(name, judged) {
  const noticed = judged.filter((each) => each.noticed !== null).length
  return `${name.padEnd(14)}${String(judged.length).padStart(4)} mutations, ${noticed} noticed, ${judged.length - noticed} survived`
}
