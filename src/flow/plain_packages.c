/* SPDX-License-Identifier: MIT
 *
 * See plain_table.h: the rows of packages that are not Python's own. Three are so large, and so much of
 * what data work asks for, that everything public of them is plain but what was found to load or run
 * something; of all others it is what is listed.
 */
#include "base/scope.h"
#include "flow/plain_table.h"

const struct plain_row plain_packages[] = {
	{"matplotlib", PLAIN_BUT, "backend backends backend_bases testing", NULL,
	 "use switch_backend"},
	{"numpy", PLAIN_BUT,
	 "bmat compat core ctypeslib distutils f2py loads lookfor npyio "
	 "rundocs runstring measure safe_eval source",
	 NULL, NULL},
	{"pandas", PLAIN_BUT,
	 "HDFStore compat computation core eval pytables "
	 "read_clipboard read_hdf read_pickle",
	 NULL, NULL},
	/* Packages: what data work asks of them */
	{"bs4", PLAIN_ONLY, "BeautifulSoup Comment NavigableString Tag", NULL, NULL},
	{"dateutil", PLAIN_ONLY, "parser relativedelta", NULL, NULL},
	{"dateutil.parser", PLAIN_ONLY, "ParserError isoparse parse", NULL, NULL},
	{"dateutil.relativedelta", PLAIN_ONLY, "FR MO SA SU TH TU WE relativedelta", NULL, NULL},
	{"mpl_toolkits", PLAIN_ONLY, "axes_grid1 axisartist basemap mplot3d", NULL, NULL},
	{"mpl_toolkits.axes_grid1", PLAIN_ONLY,
	 "AxesGrid Divider ImageGrid Size axes_rgb host_subplot", NULL, NULL},
	{"mpl_toolkits.axes_grid1.axes_rgb", PLAIN_ONLY, "RGBAxes make_rgb_axes", NULL, NULL},
	{"mpl_toolkits.axisartist", PLAIN_ONLY, "Axes axislines", NULL, NULL},
	{"mpl_toolkits.axisartist.axislines", PLAIN_ONLY, "AxesZero", NULL, NULL},
	{"mpl_toolkits.basemap", PLAIN_ONLY, "Basemap", NULL, NULL},
	{"mpl_toolkits.mplot3d", PLAIN_ONLY, "axes3d", NULL, NULL},
	{"mpl_toolkits.mplot3d.axes3d", PLAIN_ONLY, "get_test_data", NULL, NULL},
	{"openpyxl", PLAIN_ONLY, "Workbook load_workbook", NULL, NULL},
	{"requests", PLAIN_ONLY,
	 "ConnectionError HTTPError RequestException Response Session Timeout codes delete "
	 "exceptions get head options patch post put request",
	 NULL, NULL},
	{"requests.exceptions", PLAIN_ONLY, "ConnectionError HTTPError RequestException Timeout",
	 NULL, NULL},
	{"scipy", PLAIN_ONLY, "constants linalg ndimage signal sparse stats", NULL, NULL},
	{"scipy.constants", PLAIN_ONLY, "G c pi", NULL, NULL},
	{"scipy.linalg", PLAIN_ONLY, "eigh norm", NULL, NULL},
	{"scipy.ndimage", PLAIN_ONLY, "binary_erosion gaussian_filter", NULL, NULL},
	{"scipy.signal", PLAIN_ONLY, "sawtooth", NULL, NULL},
	{"scipy.sparse", PLAIN_ONLY, "coo_array lil_array random", NULL, NULL},
	{"scipy.stats", PLAIN_ONLY, "loguniform randint uniform", NULL, NULL},
	{"seaborn", PLAIN_ONLY, "catplot color_palette heatmap pairplot scatterplot", NULL, NULL},
	{"sklearn", PLAIN_ONLY,
	 "base calibration cluster compose config_context covariance cross_decomposition "
	 "datasets decomposition discriminant_analysis dummy ensemble exceptions experimental "
	 "feature_extraction feature_selection frozen gaussian_process impute inspection "
	 "kernel_approximation linear_model manifold metrics mixture model_selection "
	 "multiclass multioutput naive_bayes neighbors neural_network pipeline preprocessing "
	 "random_projection semi_supervised set_config svm tree utils",
	 NULL, NULL},
	{"sklearn.base", PLAIN_ONLY, "BaseEstimator ClusterMixin clone", NULL, NULL},
	{"sklearn.calibration", PLAIN_ONLY, "CalibratedClassifierCV CalibrationDisplay", NULL,
	 NULL},
	{"sklearn.cluster", PLAIN_ONLY,
	 "AffinityPropagation AgglomerativeClustering Birch DBSCAN FeatureAgglomeration "
	 "HDBSCAN KMeans MeanShift MiniBatchKMeans SpectralBiclustering SpectralCoclustering "
	 "estimate_bandwidth kmeans_plusplus",
	 NULL, NULL},
	{"sklearn.compose", PLAIN_ONLY,
	 "ColumnTransformer TransformedTargetRegressor make_column_selector", NULL, NULL},
	{"sklearn.covariance", PLAIN_ONLY, "EmpiricalCovariance MinCovDet OAS", NULL, NULL},
	{"sklearn.cross_decomposition", PLAIN_ONLY, "CCA", NULL, NULL},
	{"sklearn.datasets", PLAIN_ONLY,
	 "_samples_generator load_breast_cancer load_diabetes load_digits load_iris load_wine "
	 "make_biclusters make_blobs make_checkerboard make_circles make_classification "
	 "make_gaussian_quantiles make_hastie_10_2 make_moons make_multilabel_classification "
	 "make_regression make_s_curve make_sparse_coded_signal make_swiss_roll",
	 NULL, NULL},
	{"sklearn.datasets._samples_generator", PLAIN_ONLY, "make_blobs", NULL, NULL},
	{"sklearn.decomposition", PLAIN_ONLY,
	 "FactorAnalysis FastICA PCA SparseCoder TruncatedSVD randomized_svd", NULL, NULL},
	{"sklearn.discriminant_analysis", PLAIN_ONLY,
	 "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis", NULL, NULL},
	{"sklearn.dummy", PLAIN_ONLY, "DummyClassifier", NULL, NULL},
	{"sklearn.ensemble", PLAIN_ONLY,
	 "AdaBoostClassifier ExtraTreesClassifier ExtraTreesRegressor "
	 "GradientBoostingClassifier GradientBoostingRegressor HistGradientBoostingClassifier "
	 "HistGradientBoostingRegressor IsolationForest RandomForestClassifier "
	 "RandomForestRegressor RandomTreesEmbedding StackingRegressor VotingRegressor",
	 NULL, NULL},
	{"sklearn.exceptions", PLAIN_ONLY, "ConvergenceWarning", NULL, NULL},
	{"sklearn.experimental", PLAIN_ONLY, "enable_halving_search_cv", NULL, NULL},
	{"sklearn.feature_extraction", PLAIN_ONLY, "image text", NULL, NULL},
	{"sklearn.feature_extraction.image", PLAIN_ONLY, "extract_patches_2d grid_to_graph", NULL,
	 NULL},
	{"sklearn.feature_extraction.text", PLAIN_ONLY,
	 "CountVectorizer TfidfTransformer TfidfVectorizer", NULL, NULL},
	{"sklearn.feature_selection", PLAIN_ONLY,
	 "RFE RFECV SelectKBest SelectPercentile chi2 f_regression", NULL, NULL},
	{"sklearn.frozen", PLAIN_ONLY, "FrozenEstimator", NULL, NULL},
	{"sklearn.gaussian_process", PLAIN_ONLY, "GaussianProcessClassifier kernels", NULL, NULL},
	{"sklearn.gaussian_process.kernels", PLAIN_ONLY, "ConstantKernel DotProduct RBF", NULL,
	 NULL},
	{"sklearn.impute", PLAIN_ONLY, "IterativeImputer KNNImputer SimpleImputer", NULL, NULL},
	{"sklearn.inspection", PLAIN_ONLY,
	 "DecisionBoundaryDisplay PartialDependenceDisplay permutation_importance", NULL, NULL},
	{"sklearn.kernel_approximation", PLAIN_ONLY, "Nystroem PolynomialCountSketch", NULL, NULL},
	{"sklearn.linear_model", PLAIN_ONLY,
	 "ARDRegression BayesianRidge ElasticNet ElasticNetCV HuberRegressor Lasso LassoCV "
	 "LassoLarsIC LinearRegression LogisticRegression MultiTaskLasso "
	 "OrthogonalMatchingPursuit OrthogonalMatchingPursuitCV Ridge RidgeCV SGDClassifier "
	 "enet_path lars_path lasso_path",
	 NULL, NULL},
	{"sklearn.manifold", PLAIN_ONLY,
	 "ClassicalMDS Isomap LocallyLinearEmbedding MDS SpectralEmbedding TSNE", NULL, NULL},
	{"sklearn.metrics", PLAIN_ONLY,
	 "ConfusionMatrixDisplay DetCurveDisplay PrecisionRecallDisplay PredictionErrorDisplay "
	 "RocCurveDisplay accuracy_score adjusted_mutual_info_score adjusted_rand_score auc "
	 "brier_score_loss classification_report cluster completeness_score confusion_matrix "
	 "consensus_score f1_score get_scorer homogeneity_score log_loss make_scorer "
	 "mean_squared_error median_absolute_error pairwise pairwise_distances "
	 "precision_recall_curve r2_score roc_auc_score roc_curve silhouette_score "
	 "v_measure_score",
	 NULL, NULL},
	{"sklearn.metrics.cluster", PLAIN_ONLY, "v_measure_score", NULL, NULL},
	{"sklearn.metrics.pairwise", PLAIN_ONLY,
	 "euclidean_distances pairwise_distances_argmin rbf_kernel", NULL, NULL},
	{"sklearn.mixture", PLAIN_ONLY, "GaussianMixture", NULL, NULL},
	{"sklearn.model_selection", PLAIN_ONLY,
	 "FixedThresholdClassifier GridSearchCV GroupKFold GroupShuffleSplit "
	 "HalvingRandomSearchCV KFold RandomizedSearchCV RepeatedStratifiedKFold ShuffleSplit "
	 "StratifiedGroupKFold StratifiedKFold StratifiedShuffleSplit TimeSeriesSplit "
	 "TunedThresholdClassifierCV cross_val_predict cross_val_score cross_validate "
	 "train_test_split validation_curve",
	 NULL, NULL},
	{"sklearn.multiclass", PLAIN_ONLY, "OneVsRestClassifier", NULL, NULL},
	{"sklearn.multioutput", PLAIN_ONLY, "MultiOutputRegressor", NULL, NULL},
	{"sklearn.naive_bayes", PLAIN_ONLY, "BernoulliNB GaussianNB", NULL, NULL},
	{"sklearn.neighbors", PLAIN_ONLY,
	 "KNeighborsClassifier KNeighborsRegressor KNeighborsTransformer KernelDensity "
	 "LocalOutlierFactor NeighborhoodComponentsAnalysis kneighbors_graph",
	 NULL, NULL},
	{"sklearn.neural_network", PLAIN_ONLY, "MLPClassifier MLPRegressor", NULL, NULL},
	{"sklearn.pipeline", PLAIN_ONLY, "FeatureUnion Pipeline make_pipeline", NULL, NULL},
	{"sklearn.preprocessing", PLAIN_ONLY,
	 "FunctionTransformer KBinsDiscretizer MinMaxScaler Normalizer OneHotEncoder "
	 "PolynomialFeatures QuantileTransformer RobustScaler SplineTransformer StandardScaler "
	 "TargetEncoder label_binarize quantile_transform",
	 NULL, NULL},
	{"sklearn.random_projection", PLAIN_ONLY,
	 "SparseRandomProjection johnson_lindenstrauss_min_dim", NULL, NULL},
	{"sklearn.semi_supervised", PLAIN_ONLY, "LabelSpreading SelfTrainingClassifier", NULL,
	 NULL},
	{"sklearn.svm", PLAIN_ONLY, "LinearSVC OneClassSVM SVC l1_min_c", NULL, NULL},
	{"sklearn.tree", PLAIN_ONLY, "DecisionTreeClassifier DecisionTreeRegressor plot_tree", NULL,
	 NULL},
	{"sklearn.utils", PLAIN_ONLY,
	 "Bunch check_random_state extmath fixes metaestimators shuffle validation", NULL, NULL},
	{"sklearn.utils.extmath", PLAIN_ONLY, "row_norms", NULL, NULL},
	{"sklearn.utils.fixes", PLAIN_ONLY, "parse_version", NULL, NULL},
	{"sklearn.utils.metaestimators", PLAIN_ONLY, "available_if", NULL, NULL},
	{"sklearn.utils.validation", PLAIN_ONLY, "check_is_fitted check_random_state", NULL, NULL},
	{"tabulate", PLAIN_ONLY, "tabulate", NULL, NULL},
	{"tqdm", PLAIN_ONLY, "auto tqdm trange", NULL, NULL},
	{"tqdm.auto", PLAIN_ONLY, "tqdm trange", NULL, NULL},
	{"statsmodels", PLAIN_ONLY, "formula", NULL, NULL},
	{"statsmodels.formula", PLAIN_ONLY, "api", NULL, NULL},
	{"statsmodels.formula.api", PLAIN_ONLY, "", NULL,
	 "gee glm glmgam gls glsar logit mixedlm mnlogit negativebinomial ols phreg poisson "
	 "probit quantreg rlm wls"},
	{"yaml", PLAIN_ONLY,
	 "safe_load safe_load_all safe_dump safe_dump_all dump dump_all YAMLError "
	 "MarkedYAMLError SafeLoader CSafeLoader BaseLoader CBaseLoader SafeDumper CSafeDumper "
	 "Dumper CDumper scanner parser error compose scan parse emit serialize __version__ "
	 "__with_libyaml__",
	 NULL, NULL},
};
const size_t plain_packagec = ARRAY_SIZE(plain_packages);
