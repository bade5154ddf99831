// Syntax of the DVM language after layout: blocks have braces, real or virtual.
//
// A file is parsed item by item (the header, then one import or declaration at a time), so that a mistake
// in one cannot spoil the next. Operator expressions stay flat: fixity is resolved later. Patterns after
// `|` and in comprehensions are read as expressions, contexts as types: then every decision needs a token or two.
parser grammar DvmParser;

options { tokenVocab = DvmLexer; }

// ---------------------------------------------------------------- entry rules
fileHeader : MODULE moduleName exportList? WHERE EOF ;
topItem : ( importDecl | topDecl ) EOF ;

// ---------------------------------------------------------------- modules
moduleName : CONID | QCONID ;
exportList : LPAREN ( exportItem ( COMMA exportItem )* COMMA? )? RPAREN ;
exportItem
  : MODULE moduleName  # exportModule
  | entity             # exportEntity
  ;
importDecl : IMPORT QUALIFIED? moduleName QUALIFIED? ( AS moduleName )? ( HIDING? importList )? ;
importList : LPAREN ( entity ( COMMA entity )* COMMA? )? RPAREN ;
entity
  : var                                                        # entityValue
  | con ( LPAREN ( DOTDOT | entityPart ( COMMA entityPart )* )? RPAREN )?  # entityType
  ;
entityPart : var | con ;

// ---------------------------------------------------------------- declarations
topDecl
  : ( DATA | NEWTYPE ) con tyVar* ( EQUALS constructor ( BAR constructor )* )? deriving*  # dataDecl
  | TYPE con tyVar* EQUALS type                         # typeSynonym
  | CLASS type ( DARROW type )? ( WHERE declBlock )?    # classDecl
  | INSTANCE type ( DARROW type )? ( WHERE declBlock )? # instanceDecl
  | decl                                                # valueDecl
  ;
constructor
  : con LBRACE ( field ( COMMA field )* )? RBRACE       # recordConstructor
  | con strictType*                                     # plainConstructor
  | strictType+ conOp strictType+                       # infixConstructor
  ;
strictType : PREFIX_BANG? atype ;
field : var ( COMMA var )* DCOLON PREFIX_BANG? type ;
deriving : DERIVING ( qcon | LPAREN ( qcon ( COMMA qcon )* )? RPAREN ) ;

declBlock
  : VOPEN decl? ( ( VSEMI | SEMI ) decl? )* VCLOSE
  | LBRACE decl? ( SEMI decl? )* RBRACE
  ;
decl
  : ( INFIX | INFIXL | INFIXR ) INTEGER? op ( COMMA op )*  # fixityDecl
  | PRAGMA                                              # pragmaDecl
  | opPattern binding                                   # bindingDecl
  ;
binding
  : ( COMMA opPattern )* DCOLON qualifiedType           # signature
  | rhs                                                 # equation
  ;
rhs : ( EQUALS expr | guardedEquation+ ) ( WHERE declBlock )? ;
guardedEquation : BAR qualifiers EQUALS expr ;
// Its arrow is a token of its own: else the end of a type in the guard could only be guessed.
guardedArrow : BAR qualifiers GUARD_ARROW expr ;
qualifiers : qualifier ( COMMA qualifier )* ;
qualifier : PREFIX_BANG? expr ( LARROW expr )? ;

// ---------------------------------------------------------------- types and sizes
qualifiedType : ( FORALL tyVar+ DOT )* type ( DARROW type )* ;
type : opType ( ARROW opType )* ;
opType : appType ( typeOp appType )* ;
typeOp : VARSYM | MINUS | BACKQUOTE VARID BACKQUOTE ;
appType : atype+ ;
atype
  : qcon                                                # typeName
  | tyVar                                               # typeVar
  | INTEGER                                             # sizeNumber
  | ( QUESTION | UNKNOWN_SIZE )                         # sizeUnknown
  | LPAREN ( type ( DCOLON type | ( COMMA type )+ )? )? RPAREN  # typeParens
  | LBRACKET ( type ( COMMA type )* )? RBRACKET         # typeBrackets
  ;
tyVar : VARID | AS | HIDING | QUALIFIED ;

// ---------------------------------------------------------------- patterns
pattern : opPattern ( DCOLON type )? ;
opPattern : appPattern ( patternOp appPattern )* ;
appPattern
  : MINUS ( INTEGER | FLOAT )                           # negativePattern
  | apattern+                                           # applyPattern
  ;
apattern : patternPrefix* atomPattern ;
patternPrefix : varId AT | PREFIX_BANG | TILDE ;
atomPattern
  : varId                                               # varPattern
  | qcon ( LBRACE ( fieldPattern ( COMMA fieldPattern )* )? RBRACE )?  # conPattern
  | literal                                             # literalPattern
  | UNDERSCORE                                          # wildcardPattern
  | LPAREN op RPAREN                                    # operatorPattern
  | LPAREN ( pattern ( COMMA pattern )* )? RPAREN       # parenPattern
  | LBRACKET ( pattern ( COMMA pattern )* )? RBRACKET   # listPattern
  ;
fieldPattern : qvar EQUALS pattern ;

// ---------------------------------------------------------------- expressions
expr : opExpr ( DCOLON qualifiedType )? ;
opExpr : unaryExpr ( op unaryExpr )* ;
unaryExpr : MINUS? operand ;
operand
  : LAMBDA CASE altBlock                                # lambdaCase
  | LAMBDA apattern+ ARROW expr                         # lambda
  | LET declBlock ( IN expr )?                          # letIn
  | IF expr THEN expr ELSE expr                         # ifThenElse
  | IF guardedArrow+                                    # multiIf
  | CASE expr OF altBlock                               # caseOf
  | aexpr+                                              # application
  ;
altBlock
  : VOPEN alternative? ( ( VSEMI | SEMI ) alternative? )* VCLOSE
  | LBRACE alternative? ( SEMI alternative? )* RBRACE
  ;
alternative : opPattern ( ARROW expr | guardedArrow+ ) ( WHERE declBlock )? ;
aexpr : ( varId AT )* primary recordSuffix* ;
recordSuffix : LBRACE ( fieldValue ( COMMA fieldValue )* )? RBRACE ;
fieldValue : qvar EQUALS expr ;
primary
  : ( varId | QVARID )                                  # varExpr
  | qcon                                                # conExpr
  | literal                                             # literalExpr
  | UNDERSCORE                                          # hole
  | LPAREN MINUS RPAREN                                 # minusName
  | LPAREN sectionOp opExpr? RPAREN                     # rightSection
  | LPAREN ( COMMA+ | COMMA* expr ( sectionOp | MINUS | ( COMMA expr? )+ )? )? RPAREN  # parens
  | LBRACKET ( expr ( ( COMMA expr )* ( DOTDOT expr? )? | ( BAR qualifiers )+ ) )? RBRACKET  # brackets
  ;

// ---------------------------------------------------------------- names, operators, literals
varId : VARID | AS | HIDING | QUALIFIED | FORALL ;
var : varId | LPAREN op RPAREN ;
qvar : varId | QVARID | LPAREN op RPAREN ;
con : CONID | LPAREN CONSYM RPAREN ;
qcon : CONID | QCONID | LPAREN ( CONSYM | QCONSYM ) RPAREN ;
conOp : CONSYM | BACKQUOTE CONID BACKQUOTE ;
sectionOp
  : VARSYM | CONSYM | QVARSYM | QCONSYM | BANG | PREFIX_BANG | DOT | QUESTION
  | BACKQUOTE ( varId | QVARID | CONID | QCONID ) BACKQUOTE
  ;
op : sectionOp | MINUS ;
patternOp
  : VARSYM | CONSYM | QVARSYM | QCONSYM | BANG | DOT | QUESTION | MINUS
  | BACKQUOTE ( varId | QVARID | CONID | QCONID ) BACKQUOTE
  ;
literal : INTEGER | FLOAT | STRING | CHARACTER ;
