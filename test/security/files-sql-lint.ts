import ts from 'typescript'
import { lineOf, parse, type Tree, walk } from '../architecture/source.ts'

/**
 * Whether the text of SQL is fixed before anything is asked: made of nothing but literals and constants of modules, whichever of them is chosen.
 * What a caller hands over may choose between two texts and is in neither.
 */
const ASKS = new Set(['prepare', 'exec', 'query'])
const IS_SQL = /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|DROP|ALTER|CREATE) /
/** The steps from version to version are constants of their module, and come through a parameter for tests alone. */
const DECIDED = 'src/adapters/sqlite/ledger-schema.ts exec(step)'

export function statements(tree: Tree): number {
  let count = 0
  for (const [path, text] of tree) walk(parse(path, text), (node) => void (askedBy(node) !== null && count++))
  return count
}

/** Each place where there is text in SQL that is not fixed. */
export function unfixed(tree: Tree): string[] {
  const found: string[] = []
  for (const [path, text] of tree) {
    const source = parse(path, text)
    walk(source, (node) => {
      const asked = askedBy(node)
      const isOpen = asked !== null && !isFixed(asked.sql) && `${path} ${asked.name}(${asked.sql.getText(source)})` !== DECIDED
      if (isOpen || (ts.isTemplateExpression(node) && IS_SQL.test(node.getText(source)) && !isFixed(node)))
        found.push(`${path}:${lineOf(source, node)}`)
    })
  }
  return found
}

function askedBy(node: ts.Node): { readonly name: string; readonly sql: ts.Expression } | null {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null
  const name = node.expression.name.text
  const [sql] = node.arguments
  return ASKS.has(name) && sql !== undefined ? { name, sql } : null
}

/** `given`: names that stand for parts of what is fixed, as those of a callback of `map` do. */
function isFixed(node: ts.Node, given: ReadonlySet<string> = new Set()): boolean {
  const fixed = (each: ts.Node): boolean => isFixed(each, given)
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return true
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isSpreadElement(node))
    return fixed(node.expression)
  if (ts.isTemplateExpression(node)) return node.templateSpans.every(({ expression }) => fixed(expression))
  if (ts.isConditionalExpression(node)) return fixed(node.whenTrue) && fixed(node.whenFalse)
  if (ts.isBinaryExpression(node)) return node.operatorToken.kind === ts.SyntaxKind.PlusToken && fixed(node.left) && fixed(node.right)
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(fixed)
  if (ts.isObjectLiteralExpression(node)) return node.properties.every((each) => ts.isPropertyAssignment(each) && fixed(each.initializer))
  if (ts.isIdentifier(node)) return given.has(node.text) || isConstant(node)
  if (ts.isArrowFunction(node)) return isFixed(node.body, new Set([...given, ...node.parameters.flatMap(({ name }) => namesIn(name))]))
  if (ts.isNewExpression(node)) return (node.arguments ?? []).every(fixed)
  return ts.isCallExpression(node) && isFixedCall(node, fixed)
}

function isFixedCall({ expression, arguments: handed }: ts.CallExpression, fixed: (node: ts.Node) => boolean): boolean {
  if (ts.isPropertyAccessExpression(expression)) {
    const of = expression.expression
    return ((ts.isIdentifier(of) && of.text === 'Object') || fixed(of)) && handed.every(fixed)
  }
  const made = ts.isIdentifier(expression) ? declarationOf(expression) : null
  // Its parameters are not fixed: they may choose what it gives back, and not be in it.
  return made !== null && ts.isFunctionDeclaration(made) && returnsOf(made).every((each) => isFixed(each))
}

function returnsOf(made: ts.FunctionDeclaration): ts.Expression[] {
  const returns: ts.Expression[] = []
  walk(made, (node) => void (ts.isReturnStatement(node) && node.expression !== undefined && returns.push(node.expression)))
  return returns
}

function isConstant(node: ts.Identifier): boolean {
  const made = declarationOf(node)
  if (made === null || ts.isParameter(made) || ts.isFunctionDeclaration(made)) return false
  return ts.isImportSpecifier(made) || (made.initializer !== undefined && isFixed(made.initializer))
}

type Declaration = ts.VariableDeclaration | ts.ParameterDeclaration | ts.ImportSpecifier | ts.FunctionDeclaration

/** Where a name is declared, the nearest first. */
function declarationOf({ text, parent }: ts.Identifier): Declaration | null {
  for (let at: ts.Node | undefined = parent; at !== undefined; at = at.parent) {
    const found = declaredIn(at).find((each) => each.name !== undefined && namesIn(each.name).includes(text))
    if (found !== undefined) return found
  }
  return null
}

function declaredIn(node: ts.Node): readonly Declaration[] {
  if (ts.isFunctionLike(node)) return node.parameters.filter((each): each is ts.ParameterDeclaration => ts.isParameter(each))
  if (ts.isForOfStatement(node) && ts.isVariableDeclarationList(node.initializer)) return node.initializer.declarations
  if (!ts.isSourceFile(node) && !ts.isBlock(node)) return []
  return node.statements.flatMap((statement): readonly Declaration[] => {
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations
    if (ts.isFunctionDeclaration(statement)) return [statement]
    const names = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined
    return names !== undefined && ts.isNamedImports(names) ? names.elements : []
  })
}

function namesIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []))
}
