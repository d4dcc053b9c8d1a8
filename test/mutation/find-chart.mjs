// The mutations of a chart: every transition deleted, every guard negated, every action of a list left out, one at a time.
import ts from 'typescript'
import { Findings, withoutElement } from './source.mjs'

export function chartMutations(root, source) {
  const findings = new Findings(root, source)
  const chart = chartOf(source)
  if (chart === null) return []
  stateMutations(findings, chart.config, chart.config.properties.find((each) => nameOf(each) === 'id')?.initializer.text ?? '(chart)')
  guardMutations(findings, chart.setup)
  return findings.mutations
}

/** Whether a node stands inside the chart itself, which is not code to be mutated as a function. */
export function isInChart(node) {
  for (let at = node; at !== undefined; at = at.parent) if (ts.isCallExpression(at) && isCreateMachine(at)) return true
  return false
}

function isCreateMachine(call) {
  return ts.isPropertyAccessExpression(call.expression) && call.expression.name.text === 'createMachine'
}

function chartOf(source) {
  let found = null
  const visit = (node) => {
    if (ts.isCallExpression(node) && isCreateMachine(node)) found = { config: node.arguments[0], setup: node.expression.expression.arguments[0] }
    else ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function stateMutations(findings, state, path) {
  for (const property of state.properties) {
    const name = nameOf(property)
    if (name === 'on') for (const edge of property.initializer.properties) edgeMutations(findings, edge, `${path} on ${nameOf(edge)}`)
    if (name === 'always') edgeMutations(findings, property, `${path} always`)
    if (name === 'entry' || name === 'exit') listMutations(findings, property, `${path} ${name}`)
    if (name === 'states')
      for (const child of property.initializer.properties) stateMutations(findings, child.initializer, `${path}.${nameOf(child)}`)
  }
}

function edgeMutations(findings, property, path) {
  const value = property.initializer
  const { source } = findings
  const edges = ts.isArrayLiteralExpression(value) ? [...value.elements] : [value]
  for (const edge of edges) {
    if (ts.isSpreadElement(edge)) sharedMutations(findings, edge.expression.getText())
    const edit = edges.length === 1 ? withoutElement(source, property.parent.properties, property) : withoutElement(source, value.elements, edge)
    findings.add('edge', edge, `${path} → ${targetOf(edge)} deleted`, [edit])
    if (!ts.isObjectLiteralExpression(edge)) continue
    const actions = edge.properties.find((each) => nameOf(each) === 'actions')
    if (actions !== undefined) listMutations(findings, actions, `${path} → ${targetOf(edge)} actions`)
  }
}

/** Edges that stand once, in a constant, for several events. */
function sharedMutations(findings, name) {
  const list = constantOf(findings.source, name)
  for (const edge of list.elements) {
    findings.add('edge', edge, `${name} → ${targetOf(edge)} deleted`, [withoutElement(findings.source, list.elements, edge)])
    const actions = edge.properties.find((each) => nameOf(each) === 'actions')
    if (actions !== undefined) listMutations(findings, actions, `${name} → ${targetOf(edge)} actions`)
  }
}

function constantOf(source, name) {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    const found = statement.declarationList.declarations.find((each) => each.name.getText() === name)
    if (found !== undefined) return ts.isAsExpression(found.initializer) ? found.initializer.expression : found.initializer
  }
  throw new Error(`${source.fileName} names edges ${name} that it does not hold`)
}

function listMutations(findings, property, path) {
  const value = property.initializer
  const { source } = findings
  if (!ts.isArrayLiteralExpression(value)) {
    findings.add('action', value, `${path}: ${findings.textOf(value)} left out`, [withoutElement(source, property.parent.properties, property)])
    return
  }
  for (const action of value.elements) {
    findings.add('action', action, `${path}: ${findings.textOf(action)} left out`, [withoutElement(source, value.elements, action)])
  }
}

function guardMutations(findings, setup) {
  const guards = setup.properties.find((each) => nameOf(each) === 'guards')
  for (const guard of guards?.initializer.properties ?? []) {
    const { body } = guard.initializer
    findings.replace('guard', body, `guard ${nameOf(guard)} negated`, `!(${findings.textOf(body)})`)
  }
}

function targetOf(edge) {
  if (ts.isStringLiteral(edge)) return edge.text
  if (ts.isSpreadElement(edge)) return edge.expression.getText()
  const part = (key) => edge.properties.find((each) => nameOf(each) === key)?.initializer.text
  const guard = part('guard')
  return `${part('target') ?? '(stays)'}${guard === undefined ? '' : ` [${guard}]`}`
}

function nameOf(property) {
  return property.name === undefined ? undefined : ts.isStringLiteral(property.name) ? property.name.text : property.name.getText()
}
