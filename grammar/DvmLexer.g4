// Lexemes of the DVM language: Haskell 2010's, see README.md.
//
// VOPEN, VSEMI, VCLOSE, PREFIX_BANG and GUARD_ARROW never come from here: the passes between lexer and
// parser make them.
lexer grammar DvmLexer;

tokens { VOPEN, VSEMI, VCLOSE, PREFIX_BANG, GUARD_ARROW }
channels { COMMENTS }

LINE_COMMENT
  : '--' '-'* ( ~[!#$%&*+./<=>?@\\^|\-~:\r\n\p{Sm}\p{Sc}\p{So}] ~[\r\n]* )? -> channel(COMMENTS)
  ;
PRAGMA       : '{-#' ~[#]* '#-}' ;
COMMENT_OPEN : '{-' -> channel(COMMENTS), pushMode(NESTED) ;
BLANK        : [ \t\r\n\f\u000B\p{Zs}]+ -> skip ;

CASE : 'case' ;
CLASS : 'class' ;
DATA : 'data' ;
DEFAULT : 'default' ;
DERIVING : 'deriving' ;
DO : 'do' ;
ELSE : 'else' ;
FOREIGN : 'foreign' ;
IF : 'if' ;
IMPORT : 'import' ;
IN : 'in' ;
INFIX : 'infix' ;
INFIXL : 'infixl' ;
INFIXR : 'infixr' ;
INSTANCE : 'instance' ;
LET : 'let' ;
MODULE : 'module' ;
NEWTYPE : 'newtype' ;
OF : 'of' ;
THEN : 'then' ;
TYPE : 'type' ;
WHERE : 'where' ;
UNDERSCORE : '_' ;
// Special only in one place, ordinary names elsewhere.
AS : 'as' ;
HIDING : 'hiding' ;
QUALIFIED : 'qualified' ;
FORALL : 'forall' ;

LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
COMMA : ',' ;
SEMI : ';' ;
BACKQUOTE : '`' ;

DOTDOT : '..' ;
DCOLON : '::' ;
EQUALS : '=' ;
LAMBDA : '\\' ;
BAR : '|' ;
LARROW : '<-' ;
ARROW : '->' ;
AT : '@' ;
TILDE : '~' ;
DARROW : '=>' ;

BANG : '!' ;
MINUS : '-' ;
DOT : '.' ;
QUESTION : '?' ;

VARID : Small NameChar* ;
CONID : Large NameChar* ;
QVARID : Qualifier Small NameChar* ;
QCONID : Qualifier Large NameChar* ;
VARSYM : SymbolNoColon Symbol* ;
CONSYM : ':' Symbol* ;
QVARSYM : Qualifier SymbolNoColon Symbol* ;
QCONSYM : Qualifier ':' Symbol* ;
// The unknown size `?k`: nothing between the mark and the name.
UNKNOWN_SIZE : '?' Small NameChar* ;

FLOAT
  : Decimal '.' Decimal Exponent?
  | Decimal '_'* Exponent
  | '0' [xX] '_'* Hex ( '.' Hex ( [pP] [+\-]? Decimal )? | [pP] [+\-]? Decimal )
  ;
INTEGER
  : Decimal
  | '0' [xX] '_'* Hex
  | '0' [bB] '_'* [01] ( [01_]* [01] )?
  | '0' [oO] '_'* [0-7] ( [0-7_]* [0-7] )?
  ;
STRING : '"' ( ~["\\\r\n] | '\\' ~[\r\n \t] | Gap )* '"' ;
// Ends with its line, so that one forgotten quote does not swallow the file.
UNTERMINATED_STRING : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '\\'? ;
CHARACTER : '\'' ( ~['\\\r\n] | '\\' ~[\r\n] [a-zA-Z0-9^]* ) '\'' ;

ERRCHAR : . ;

fragment Small : [_\p{Ll}\p{Lo}] ;
fragment Large : [\p{Lu}\p{Lt}] ;
fragment NameChar : [_'\p{Ll}\p{Lo}\p{Lu}\p{Lt}\p{Lm}\p{M}\p{N}] ;
fragment Qualifier : ( Large NameChar* '.' )+ ;
fragment SymbolNoColon : [!#$%&*+./<=>?@\\^|\-~\p{Sm}\p{Sc}\p{So}] ;
fragment Symbol : SymbolNoColon | ':' ;
fragment Decimal : [0-9] ( [0-9_]* [0-9] )? ;
fragment Hex : [0-9a-fA-F] ( [0-9a-fA-F_]* [0-9a-fA-F] )? ;
fragment Exponent : [eE] [+\-]? Decimal ;
fragment Gap : '\\' [ \t\r\n]+ '\\' ;

// Modes instead of a recursive rule: a stack that grows with the depth of the comment is a vector here.
mode NESTED;
NESTED_OPEN : '{-' -> channel(COMMENTS), pushMode(NESTED) ;
NESTED_CLOSE : '-}' -> channel(COMMENTS), popMode ;
NESTED_TEXT : ~[{\-]+ -> channel(COMMENTS) ;
NESTED_SIGN : [{\-] -> channel(COMMENTS) ;
