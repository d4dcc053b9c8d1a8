// The mutations of pure functions: what each decides is turned round, one place at a time.
import ts from 'typescript'
import { Findings, ownerOf } from './source.mjs'

const MOVED = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
}
const TURNED = { [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==', [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===' }
const SWAPPED = { [ts.SyntaxKind.AmpersandAmpersandToken]: '||', [ts.SyntaxKind.BarBarToken]: '&&' }
const RECKONED = {
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*',
}
const OPPOSITE_CALLS = { some: 'every', every: 'some', min: 'max', max: 'min' }
const NARROWING_CALLS = new Set(['filter', 'slice'])

/** `isSkipped` says which parts of the file are somebody else's. */
export function policyMutations(root, source, checker, isSkipped = () => false) {
  const search = new Search(new Findings(root, source), checker)
  const visit = (node) => {
    if (isSkipped(node) || ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    search.at(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return search.findings.mutations
}

class Search {
  constructor(findings, checker) {
    this.findings = findings
    this.checker = checker
  }

  at(node) {
    if (ts.isFunctionLike(node) && node.body !== undefined) this.#function(node)
    if (ts.isIfStatement(node)) this.#ifStatement(node)
    if (ts.isConditionalExpression(node)) this.#negated(node.condition)
    if (ts.isBinaryExpression(node)) this.#binary(node)
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken && !isWholeDecision(node)) {
      this.#replace('condition', node, `"not" left out: ${this.#text(node)}`, `(${this.#text(node.operand)})`)
    }
    if (ts.isNumericLiteral(node) && !ts.isReturnStatement(node.parent)) {
      this.#replace('number', node, `${this.#text(node)} → ${Number(node.text) + 1} in ${this.#text(node.parent)}`, String(Number(node.text) + 1))
    }
    if (ts.isCallExpression(node)) this.#call(node)
    if (ts.isObjectLiteralExpression(node)) this.#changes(node)
    if (ts.isCaseClause(node)) this.#caseLabel(node)
  }

  #function(node) {
    const type = this.checker.getReturnTypeOfSignature(this.checker.getSignatureFromDeclaration(node))
    const results = resultsOf(node)
    if (results.length === 0) return
    if ((type.flags & ts.TypeFlags.BooleanLike) !== 0) {
      const name = node.name === undefined ? ownerOf(results[0]) : this.#text(node.name)
      const place = node.name === undefined ? `: ${this.#text(node)}` : ''
      this.findings.add(
        'inverted',
        node,
        `${name} inverted${place}`,
        results.map((each) => this.#edit(each, `!(${this.#text(each)})`)),
      )
    }
    if ((type.flags & ts.TypeFlags.NumberLike) !== 0) {
      for (const each of results) this.#replace('number', each, `returns one more: ${this.#text(each)}`, `(${this.#text(each)}) + 1`)
    }
  }

  #ifStatement(node) {
    this.#negated(node.expression)
    const then = ts.isBlock(node.thenStatement) ? node.thenStatement.statements : [node.thenStatement]
    const last = then.at(-1)
    if (
      node.elseStatement !== undefined ||
      last === undefined ||
      !(ts.isReturnStatement(last) || ts.isBreakStatement(last) || ts.isContinueStatement(last))
    )
      return
    this.#replace('early return', node, `left out: ${this.#text(node)}`, ';')
  }

  #negated(condition) {
    this.#replace('condition', condition, `negated: ${this.#text(condition)}`, `!(${this.#text(condition)})`)
  }

  #binary(node) {
    const { kind } = node.operatorToken
    const with_ = (operator) => `${this.#text(node.left)} ${operator} ${this.#text(node.right)}`
    if (MOVED[kind] !== undefined) this.#replace('comparison', node, `${this.#text(node)} → ${MOVED[kind]}`, with_(MOVED[kind]))
    if (TURNED[kind] !== undefined && !isWholeDecision(node))
      this.#replace('comparison', node, `${this.#text(node)} → ${TURNED[kind]}`, with_(TURNED[kind]))
    if (SWAPPED[kind] !== undefined) {
      this.#replace(
        'logic',
        node,
        `${this.#text(node)} → ${SWAPPED[kind]}`,
        `((${this.#text(node.left)}) ${SWAPPED[kind]} (${this.#text(node.right)}))`,
      )
      for (const side of [node.left, node.right]) this.#replace('logic', node, `${this.#text(node)} → ${this.#text(side)}`, `(${this.#text(side)})`)
    }
    if (kind === ts.SyntaxKind.QuestionQuestionToken) {
      this.#replace('logic', node, `${this.#text(node)} → ${this.#text(node.right)}`, `(${this.#text(node.right)})`)
    }
    if (RECKONED[kind] !== undefined && this.#isNumber(node.left) && this.#isNumber(node.right)) {
      this.#replace('number', node, `${this.#text(node)} → ${RECKONED[kind]}`, with_(RECKONED[kind]))
    }
  }

  #call(node) {
    const { expression, arguments: given } = node
    if (ts.isPropertyAccessExpression(expression)) {
      const opposite = OPPOSITE_CALLS[expression.name.text]
      if (opposite !== undefined) this.#replace('logic', expression.name, `${this.#text(node)} → ${opposite}`, opposite)
      if (NARROWING_CALLS.has(expression.name.text)) {
        this.#replace('step', node, `left out: ${expression.name.text} of ${this.#text(node)}`, this.#text(expression.expression))
      }
    }
    const [first] = given
    if (first === undefined || ts.isSpreadElement(first)) return
    if (this.#isSameType(first, node)) this.#replace('step', node, `left out: ${this.#text(node)} → ${this.#text(first)}`, `(${this.#text(first)})`)
  }

  /** `{ ...walk, at: 0 }`: each change to what was spread is left out. */
  #changes(node) {
    const from = node.properties.findIndex((each) => ts.isSpreadAssignment(each))
    if (from === -1) return
    node.properties.forEach((property, index) => {
      if (index <= from || (ts.isSpreadAssignment(property) && index === 0)) return
      const next = node.properties[index + 1]
      const edit = { from: property.getStart(), to: next === undefined ? node.properties.end : next.getStart(), text: '' }
      this.findings.add('change', property, `${ownerOf(property)}: left out: ${this.#text(property)}`, [edit])
    })
  }

  #caseLabel(node) {
    const label = this.#text(node.expression)
    const { statements } = node
    const alone =
      statements.length > 0 &&
      node.parent.clauses.indexOf(node) > 0 &&
      node.parent.clauses[node.parent.clauses.indexOf(node) - 1].statements?.length === 0
    if (alone) return this.#relabel(node, label)
    this.#replace(
      'case',
      node,
      `${ownerOf(node)}: case ${label} left out`,
      statements.length === 0 ? '' : `case Symbol() as never: ${statements.map((each) => this.#text(each)).join(' ')}`,
    )
  }

  #relabel(node, label) {
    this.#replace('case', node.expression, `${ownerOf(node)}: case ${label} left out`, 'Symbol() as never')
  }

  #replace(kind, node, what, text) {
    this.findings.replace(kind, node, `${ownerOf(node)}: ${what}`, text)
  }

  #edit(node, text) {
    return { from: node.getStart(), to: node.getEnd(), text }
  }

  #text(node) {
    return this.findings.textOf(node)
  }

  #isNumber(node) {
    return (this.checker.getTypeAtLocation(node).flags & ts.TypeFlags.NumberLike) !== 0
  }

  #isSameType(left, right) {
    const type = this.checker.getBaseTypeOfLiteralType(this.checker.getTypeAtLocation(left))
    const other = this.checker.getBaseTypeOfLiteralType(this.checker.getTypeAtLocation(right))
    if ((type.flags & (ts.TypeFlags.Any | ts.TypeFlags.BooleanLike | ts.TypeFlags.Never)) !== 0) return false
    return this.checker.isTypeAssignableTo(type, other) && this.checker.isTypeAssignableTo(other, type)
  }
}

/** The expressions that a function returns, its own only. */
function resultsOf(node) {
  if (!ts.isBlock(node.body)) return [node.body]
  const results = []
  const visit = (at) => {
    if (ts.isFunctionLike(at)) return
    if (ts.isReturnStatement(at) && at.expression !== undefined) results.push(at.expression)
    ts.forEachChild(at, visit)
  }
  visit(node.body)
  return results
}

/** The node is all that an `if`, a `?:` or a predicate decides by, so that turning it is the same as negating that. */
function isWholeDecision(node) {
  const { parent } = node
  if (ts.isIfStatement(parent) || ts.isConditionalExpression(parent)) return (parent.expression ?? parent.condition) === node
  return (ts.isReturnStatement(parent) || ts.isArrowFunction(parent)) && (parent.expression ?? parent.body) === node
}
